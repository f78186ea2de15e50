"""chiang2023 Table 2, drawn: each story's mean rating by teachers against the judge's."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import COLOURS, QUIET, panels, title
from retrial.links.join import join_items
from retrial.tables.chiang2023 import ATTRIBUTES, WRITERS, StoryJob, StorySet
from retrial.tables.derived import cell_name
from retrial.tables.select import Results


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """Stories at each pair of mean ratings, counted; the tau-b of the panel as a note."""
    story_job = StoryJob(job)
    by_key = {(cell["row"], cell["column"]): cell for cell in cells}
    found: Points = []
    for judge in story_job.judges():
        for writer in WRITERS:
            for attribute in ATTRIBUTES:
                cell = by_key[f"{judge.name} / {writer}", f"{attribute}_tau"]
                pairs = _pairs(story_job.teachers(), judge, writer, attribute, results)
                found.extend(_counted(job["figure"], writer, attribute, cell, pairs, len(found)))
    return found


def _pairs(
    teachers: StorySet, judge: StorySet, writer: str, attribute: str, results: Results
) -> Iterator[tuple[float, float]]:
    rated = results.select(judge.select(attribute, "plain", writer))
    human = results.select(teachers.select(attribute, "", writer, "human"))
    links = results.links(judge.links) if judge.links else None
    joined = join_items(rated.item_ids, human.item_ids, links)
    left = rated.mean_scores([rated.item_ids[i] for i in joined.left])
    right = human.mean_scores([human.item_ids[i] for i in joined.right])
    return zip(right.tolist(), left.tolist(), strict=True)


def _counted(
    figure: str,
    writer: str,
    attribute: str,
    cell: Mapping[str, Any],
    pairs: Iterator[tuple[float, float]],
    first: int,
) -> Iterator[dict[str, Any]]:
    counts = Counter((round(a, 9), round(b, 9)) for a, b in pairs)
    for place, ((teacher, judge), n) in enumerate(sorted(counts.items())):
        yield {
            "figure": figure,
            "panel": f"{writer} / {attribute}",
            "series": f"{judge:g}",
            "x": f"{teacher:g}",
            "order": first + place,
            "value": judge,
            "ci_low": None,
            "ci_high": None,
            "n": n,
            "note": _tau(cell),
            "cell": cell_name(cell["table"], cell["row"], cell["column"]),
            "inferred": cell["inferred"],
        }


def _tau(cell: Mapping[str, Any]) -> str:
    if cell["value"] is None:
        return "tau-b undefined"
    return f"tau-b {cell['value']:.2f} [{cell['ci_low']:.2f}, {cell['ci_high']:.2f}]"


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """Two rows of four panels; the area of a dot is the number of stories that share it."""
    figure, axes = panels(2, 4, 4.3, sharex=True, sharey=True)
    for row, writer in enumerate(WRITERS):
        for column, attribute in enumerate(ATTRIBUTES):
            panel = axes[row][column]
            chosen = [p for p in points if p["panel"] == f"{writer} / {attribute}"]
            panel.scatter(
                [float(p["x"]) for p in chosen],
                [p["value"] for p in chosen],
                s=[6.0 * p["n"] for p in chosen],
                color=COLOURS[row],
                alpha=0.55,
                linewidths=0,
            )
            title(panel, attribute if row == 0 else "")
            panel.text(0.03, 0.03, chosen[0]["note"] if chosen else "no pair",
                       transform=panel.transAxes, fontsize=6.6)  # fmt: skip
            panel.set(xlim=(0.7, 5.3), ylim=(0.3, 5.3), xticks=range(1, 6), yticks=range(1, 6))
            panel.grid(color="#eef0f2", linewidth=0.6)
            panel.set_axisbelow(True)
        axes[row][0].set_ylabel(f"{writer}\njudge's mean")
    figure.supxlabel("teachers' mean rating of the story (mixed design)", fontsize=8)
    if any(point["inferred"] for point in points):
        text = (
            "Which story an answer is about is inferred from its text. "
            "The area of a dot is the number of stories."
        )
        figure.suptitle(text, fontsize=7.5, color=QUIET, x=0.01, ha="left")
    return figure
