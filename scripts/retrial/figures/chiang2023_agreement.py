"""chiang2023 Table 2, drawn: each story's mean rating by teachers against the judge's."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import COLOURS, NAMES, QUIET, panels, series_of, signed, title
from retrial.links.join import join_items
from retrial.tables.chiang2023 import ATTRIBUTES, WRITERS, StoryJob, StorySet
from retrial.tables.derived import cell_name
from retrial.tables.format import print_value
from retrial.tables.select import Results

AREA = 3.2
"""Square points of a dot for each story that it stands for."""
KEY = (1, 5, 20)
INFERRED = "Story order inferred: which story an answer is about follows from its text"


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """Stories at each pair of mean ratings, counted; the tau-b of the panel as a note.

    Judges whose stories can't be told apart (recordings without links) have no points.
    """
    story_job = StoryJob(job)
    by_key = {(cell["row"], cell["column"]): cell for cell in cells}
    found: Points = []
    for judge in story_job.judges():
        if judge.recording and not judge.links:
            continue
        for writer in WRITERS:
            for attribute in ATTRIBUTES:
                cell = by_key[f"{judge.name} / {writer}", f"{attribute}_tau"]
                pairs = _pairs(story_job.teachers(), judge, writer, attribute, results)
                panel = f"{judge.name} / {writer} / {attribute}"
                found.extend(_counted(job["figure"], panel, cell, pairs, len(found)))
    return found


def _pairs(
    teachers: StorySet, judge: StorySet, writer: str, attribute: str, results: Results
) -> Iterator[tuple[float, float]]:
    """(teachers' mean, judge's mean) of each story that both rated."""
    rated = results.select(judge.select(attribute, "plain", writer))
    human = results.select(teachers.select(attribute, "", writer, "human"))
    links = results.links(judge.links) if judge.links else None
    joined = join_items(rated.item_ids, human.item_ids, links)
    ours = rated.mean_scores([rated.item_ids[i] for i in joined.left])
    theirs = human.mean_scores([human.item_ids[i] for i in joined.right])
    pairs = zip(theirs.tolist(), ours.tolist(), strict=True)
    return ((a, b) for a, b in pairs if not (math.isnan(a) or math.isnan(b)))


def _counted(
    figure: str,
    panel: str,
    cell: Mapping[str, Any],
    pairs: Iterator[tuple[float, float]],
    first: int,
) -> Iterator[dict[str, Any]]:
    counts = Counter((round(a, 9), round(b, 9)) for a, b in pairs)
    for place, ((theirs, ours), n) in enumerate(sorted(counts.items())):
        yield {
            "figure": figure,
            "panel": panel,
            "series": panel.split(" / ")[-2],
            "x": f"{theirs:g}, {ours:g}",
            "order": first + place,
            "value": ours,
            "ci_low": None,
            "ci_high": None,
            "n": n,
            "note": _tau(cell),
            "cell": cell_name(cell["table"], cell["row"], cell["column"]),
            "inferred": cell["inferred"],
        }


def _tau(cell: Mapping[str, Any]) -> str:
    """The cell's numbers, printed as its table prints them."""
    value, *ends = (print_value(cell[k], cell["format"]) for k in ("value", "ci_low", "ci_high"))
    interval = f" [{', '.join(ends)}]" if cell["value"] is not None else ""
    return f"tau-b {value}{interval}"


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A row of four panels for each judge and writer; a dot's area is its number of stories."""
    rows = list(dict.fromkeys(p.rsplit(" / ", 1)[0] for p in series_of(points, "panel")))
    figure, axes = panels(max(len(rows), 1), 4, 0.9 + 1.75 * max(len(rows), 1), sharex=True,
                          sharey=True)  # fmt: skip
    for number, row in enumerate(rows):
        judge, writer = row.rsplit(" / ", 1)
        for place, attribute in enumerate(ATTRIBUTES):
            chosen = [p for p in points if p["panel"] == f"{row} / {attribute}"]
            _panel(axes[number][place], chosen, COLOURS[WRITERS.index(writer)])
            title(axes[number][place], attribute if number == 0 else "")
        axes[number][0].set_ylabel(f"{NAMES[writer]} stories\nmean of {judge}")
    figure.supxlabel("mean of the three teachers (mixed design)", fontsize=8)
    _legend(figure, axes[0][0], any(point["inferred"] for point in points))
    return figure


def _panel(panel: Axes, points: Sequence[Mapping[str, Any]], colour: str) -> None:
    panel.grid(color="#eef0f2", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.set(xlim=(0.6, 5.4), ylim=(0.2, 5.4), xticks=range(1, 6), yticks=range(1, 6))
    places = [float(p["x"].split(", ")[0]) for p in points]
    sizes = [AREA * p["n"] for p in points]
    panel.scatter(places, [p["value"] for p in points], s=sizes, color=colour, alpha=0.8,
                  edgecolors="white", linewidths=0.3)  # fmt: skip
    name, _, numbers = points[0]["note"].partition(" ") if points else ("no pair", "", "")
    text = f"{name} {signed(numbers)}".replace("tau", "\N{GREEK SMALL LETTER TAU}")
    panel.text(0.03, 0.03, text, transform=panel.transAxes, fontsize=7)


def _legend(figure: Figure, axes: Axes, inferred: bool) -> None:
    handles = [
        axes.scatter([], [], s=AREA * n, color=QUIET, label=f"{n} stor{'y' if n == 1 else 'ies'}")
        for n in KEY
    ]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(KEY), fontsize=7.5, frameon=False,
        title=INFERRED if inferred else None, title_fontsize=7.5,
    )  # fmt: skip
