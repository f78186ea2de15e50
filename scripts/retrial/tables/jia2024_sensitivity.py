"""How far each choice that jia2024 leaves open moves its headline numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.arms import Arm, Contrast, Match
from retrial.tables.declare import CellSpec, Declaration, NotAtHand
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.jia2024 import Ask
from retrial.tables.jia2024_choices import (
    HEADLINES,
    Alternative,
    alternatives,
    default_arm,
    is_generated,
    random_draws,
    readings,
)
from retrial.tables.jia2024_columns import is_classified
from retrial.tables.jia2024_lists import Lists

METRICS = ("spearman", "pearson", "defect-f1", "macro-f1")
HEADS = {"spearman": "Spearman", "pearson": "Pearson", "defect-f1": "Defect F1",
         "macro-f1": "Macro F1"}  # fmt: skip
DEFAULT = "default"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job: a block for each condition of the table's judge."""
    lists = Lists(job)
    cells = tuple(cell for ask, others in shown(lists) for cell in _block(lists, ask, others))
    reference = frozenset(c.row for c in cells if c.row.endswith(f" / {DEFAULT}"))
    description = Description(
        title=f"jia2024: open choices, {lists.judge_label(lists.unnamed)} on "
        f"{lists.datasets_named()}",
        groups=tuple(
            ColumnGroup(HEADS[m], ((_key(m), "value"), (f"{_key(m)}_change", "change")))
            for m in METRICS
        ),
        notes=tuple(_notes(lists)),
        ledger_columns=(("items_compared", "n"),),
        row_header="choice: alternative",
        reference_rows=reference,
    )
    return Declaration(job["table"], cells, description)


def shown(lists: Lists) -> list[tuple[Ask, list[Alternative]]]:
    """The conditions of the table's judge, each with the alternatives that are shown.

    Headline conditions (every condition, where none of these is asked) show all; those with several
    draws, and generated ones, show what bears on them alone.
    """
    asked: dict[str, Ask] = {}
    for ask in lists.asks():
        if ask.judge == lists.unnamed and not lists.is_binary(ask):
            asked.setdefault(ask.condition, ask)
    chosen = {c for c in asked if lists.label(c) in HEADLINES} or set(asked)
    found = []
    for condition, ask in asked.items():
        own = list(alternatives(lists, ask)) if condition in chosen else _own(lists, ask)
        if own:
            found.append((ask, own))
    return found


def _own(lists: Lists, ask: Ask) -> list[Alternative]:
    """What bears on a condition that is no headline: its draws, and the parser of its answers."""
    parsers = readings(lists, ask) if is_generated(lists, ask.condition) else ()
    return [*random_draws(lists, ask), *parsers]


def _key(metric: str) -> str:
    return metric.replace("-", "_")


def _block(lists: Lists, ask: Ask, others: list[Alternative]) -> Iterator[CellSpec]:
    block = lists.label(ask.condition)
    usual = default_arm(lists, ask)
    yield from _row(lists, block, f"{block} / {DEFAULT}", usual, usual)
    for other in others:
        row = f"{block} / {other.choice}: {other.name}"
        if other.arm is None:
            yield from _not_run(block, row, other)
        else:
            yield from _row(lists, block, row, other.arm, usual)


def _row(lists: Lists, block: str, row: str, arm: Arm, usual: Arm) -> Iterator[CellSpec]:
    contrast = Contrast((Match((arm,), (usual,)),))
    for metric in METRICS:
        rules = lists.rules() if is_classified(metric) else {}
        own = {**rules, "judge_rule": arm.judge_rule} if rules and arm.judge_rule else rules
        yield CellSpec(row, _key(metric), block, metric, arm.pairs, ".2f", own)
        if arm != usual:
            yield CellSpec(row, f"{_key(metric)}_change", block, metric, contrast, "+.2f", rules)
    yield CellSpec(row, "items_compared", block, METRICS[0], contrast, "d", extra="n")


def _not_run(block: str, row: str, other: Alternative) -> Iterator[CellSpec]:
    unknown = NotAtHand(f"not run: {other.reason}")
    for metric in METRICS:
        yield CellSpec(row, _key(metric), block, metric, unknown)
        yield CellSpec(row, f"{_key(metric)}_change", block, metric, unknown)


def _notes(lists: Lists) -> Iterator[str]:
    yield from lists.judge_notes()
    yield from lists.note_pooled()
    reading = ", ".join(f"{lists.label(c)} {lists.reading(c)}" for c in lists.conditions)
    yield (
        f"default: label rule {lists.label_rule}, judge rule {lists.judge_rule}, the configured K "
        f"of Eq. 2, mean of the metric over draws of examples; readings: {reading}."
    )
    yield (
        "change: the alternative's number minus the default's, over the dialogues that both "
        "scored (n); interval: bootstrap over dialogues, both on the same resamples."
    )
    yield (
        "reading of Eq. 2: log-literal puts log-probabilities in the place of probabilities, as "
        "the equation is printed. A judge rule says when a score is a predicted defect."
    )
