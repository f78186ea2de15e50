"""chiang2023 Table 12: the fluency of titles, rater by rater."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023_attacks import (
    BENIGN,
    FLUENCY,
    PEOPLE,
    REFERENCE,
    ROWS,
    TitleJob,
    TitleRater,
    mean_group,
    not_at_hand,
)
from retrial.tables.declare import CellSpec, Declaration, RaterMatrix
from retrial.tables.description import ColumnGroup, Description

TEACHERS = tuple(f"teacher-{place}" for place in (1, 2, 3))
UNRELEASED = "the ratings of these teachers are not released"
ALPHA = "alpha-interval"
NOTES = (
    "Mean fluency by rater. A judge's answers to one question stand for raters, as in the study: "
    "its first, second and third answer to every title.",
    "\N{GREEK SMALL LETTER ALPHA}: Krippendorff's alpha (interval) among the raters of a row. "
    "Intervals: bootstrap over titles.",
)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job. People stand by name where the table lists their `raters`."""
    titles = TitleJob(job)
    cells = [cell for name in TEACHERS for cell in not_at_hand(name, UNRELEASED, [FLUENCY])]
    groups = [_means(TEACHERS, "teachers")]
    for rater in titles.raters():
        several = _several(titles, rater)
        cells += _cells(rater, several)
        groups.append(_group(rater, several))
    by_title = {group.title: group for group in groups}
    shown = tuple(by_title.values())
    description = Description(
        "chiang2023 Table 12: fluency of titles, rater by rater", shown, NOTES, row_header="titles"
    )
    return Declaration(job["table"], tuple(cells), description)


def _means(names: tuple[str, ...], label: str) -> ColumnGroup:
    columns = (mean_group(name, name, [FLUENCY]).columns[0][0] for name in names)
    return ColumnGroup(label, tuple(zip(columns, names, strict=True)))


def _several(titles: TitleJob, rater: TitleRater) -> dict[str, dict[str, str | int]]:
    """What tells the raters of a group apart, by their names: people, or answers."""
    if rater.key == PEOPLE:
        return {name: {"rater": name} for name in titles.spec.get("raters", [])}
    condition = titles.job["conditions"][rater.conditions[FLUENCY]]
    samples = condition.get("sampling", {}).get("samples", 1)
    return {f"answer-{n + 1}": {"sample": n} for n in range(samples)}


def _cells(rater: TitleRater, several: Mapping[str, Mapping[str, str | int]]) -> Iterator[CellSpec]:
    for row in ROWS:
        attack = REFERENCE[FLUENCY] if row == BENIGN else row
        place, name = rater.row_prefix + row, f"{FLUENCY}_{rater.key}"
        for key, where in several.items():
            one = RaterMatrix(rater.select(FLUENCY, attack, where=where))
            yield CellSpec(place, f"{name}_{key}", "", "mean", one)
        all_of_them = RaterMatrix(rater.select(FLUENCY, attack))
        yield CellSpec(place, f"{name}_alpha", "", ALPHA, all_of_them)


def _group(rater: TitleRater, several: Mapping[str, object]) -> ColumnGroup:
    name = f"{FLUENCY}_{rater.key}"
    columns = [(f"{name}_{key}", key) for key in several]
    alpha = (f"{name}_alpha", "\N{GREEK SMALL LETTER ALPHA}")
    return ColumnGroup(rater.label, (*columns, alpha))
