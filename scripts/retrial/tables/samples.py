"""From a declared sample to the arrays that a metric reads.

Joins are by item id: a pair of scores exists for the items that both sides rated.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from retrial.errors import RetrialError
from retrial.links.join import join_items
from retrial.metrics import Matrix, Pairs, TwoGroups
from retrial.metrics.base import Sample
from retrial.metrics.ceiling import human_ceiling_pairs
from retrial.metrics.contrast import Scored, Sides
from retrial.metrics.labels import label_items
from retrial.tables.align import aligned
from retrial.tables.arms import Contrast, Rescored
from retrial.tables.declare import (
    Constant,
    HumanCeiling,
    JudgeAgainstHuman,
    JudgeDifference,
    LinkedPairs,
    RaterMatrix,
    RaterPairs,
    SampleSpec,
    Shift,
    WriterGroups,
)
from retrial.tables.rescored import rescored
from retrial.tables.select import Results, Selected, pooled
from retrial.tables.selection import each
from retrial.tables.title_pairs import TitlePairs, paired, too_few

DEFECT_SCORE, NO_DEFECT_SCORE = 3.0, 4.0


@dataclass(frozen=True, eq=False)
class Drawn:
    """What one cell's metric reads: one sample, or one for each replicate or draw.

    `reason` says why there is none.
    """

    samples: Sequence[Sample]
    selected: Sequence[Selected]
    reason: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    random_draws: bool = False
    """Whether the samples are many random draws, of which a few may be undefined."""
    against: Sample | None = None
    """The sample whose metric is taken from that of the one sample."""
    item_ids: Sequence[str] = ()
    """The items of the samples, in the order of their arrays, where they are one list."""
    matches: Sequence[Sides] = ()
    """The arms of a contrast, which has no samples of its own."""

    @property
    def excluded(self) -> dict[str, int]:
        """Ratings of all roles left out, by status."""
        total: Counter[str] = Counter()
        for selected in self.selected:
            total.update(selected.excluded)
        return dict(sorted(total.items()))


@dataclass(frozen=True, eq=False)
class _Sides:
    """A judge's ratings and people's, by dataset, and each side pooled."""

    asked: tuple[Selected, ...]
    rated: tuple[Selected, ...]

    @cached_property
    def judge(self) -> Selected:
        return pooled(self.asked)

    @cached_property
    def human(self) -> Selected:
        return pooled(self.rated)


def draw(spec: SampleSpec, results: Results) -> Drawn:
    """The samples of a declared cell, drawn once however many cells use them."""
    if spec not in results.drawn:
        results.drawn[spec] = DRAWS[type(spec)](spec, results)
    found: Drawn = results.drawn[spec]
    return found


def _rated(spec: JudgeAgainstHuman | HumanCeiling | Constant, results: Results) -> _Sides:
    """The judge's ratings, and people's of the items that it was asked about, by dataset."""
    judges, people = each(spec.judge), each(spec.human)
    if len(judges) != len(people):
        raise RetrialError(
            f"{len(judges)} selections of the judge and {len(people)} of people: "
            "give one of each for every dataset that is pooled"
        )
    asked = tuple(results.select(judge) for judge in judges)
    rated = tuple(
        results.select_rated_by(human, judge) for human, judge in zip(people, judges, strict=True)
    )
    return _Sides(asked, rated)


def _judge_against_human(spec: JudgeAgainstHuman, results: Results) -> Drawn:
    return _against(spec, _rated(spec, results))


def _rescored(spec: Rescored, results: Results) -> Drawn:
    as_rated = _rated(spec.pairs, results)
    asked = tuple(
        rescored(part, results.answers(file), spec.top_k)
        for part, file in zip(as_rated.asked, spec.answers, strict=True)
    )
    drawn = _against(spec.pairs, _Sides(asked, as_rated.rated))
    return replace(
        drawn,
        selected=(*as_rated.asked, *as_rated.rated),
        parameters={**drawn.parameters, "top_k": spec.top_k},
    )


def _against(spec: JudgeAgainstHuman, sides: _Sides) -> Drawn:
    ids = sides.judge.item_ids
    labels = label_items(sides.human.matrix(ids), spec.label_rule)
    parts = [sides.judge]
    if spec.replicates == "mean-of-metrics":
        parts = [sides.judge.replicate(number) for number in sides.judge.replicates]
    samples = [Pairs(part.mean_scores(ids), labels) for part in parts]
    parameters = {"label_rule": spec.label_rule, "replicates": spec.replicates}
    reason = "" if ids else "no items"
    return Drawn(samples, (*sides.asked, *sides.rated), reason, parameters, item_ids=ids)


def _judge_difference(spec: JudgeDifference, results: Results) -> Drawn:
    sides = _rated(JudgeAgainstHuman(spec.judge, spec.human, spec.label_rule), results)
    others = tuple(results.select(part) for part in each(spec.other))
    other = pooled(others)
    asked = set(other.item_ids)
    ids = [item_id for item_id in sides.judge.item_ids if item_id in asked]
    scores = np.stack([side.mean_scores(ids) for side in (sides.judge, other)])
    labels = label_items(sides.human.matrix(ids), spec.label_rule)
    kept = np.flatnonzero(~np.isnan(scores).any(axis=0) & ~np.isnan(labels))
    first, second = (Pairs(side[kept], labels[kept]) for side in scores)
    return Drawn(
        [first],
        (*sides.asked, *others, *sides.rated),
        "" if kept.size else "no item that both judges scored",
        {"label_rule": spec.label_rule},
        against=second,
        item_ids=[ids[place] for place in kept],
    )


def _human_ceiling(spec: HumanCeiling, results: Results) -> Drawn:
    sides = _rated(spec, results)
    ids = sides.judge.item_ids
    matrix = sides.human.matrix(ids)
    if int(matrix.counts.max(initial=0)) < 2:
        return Drawn((), sides.rated, "one rating an item: nobody to compare it with")
    return Drawn(human_ceiling_pairs(matrix), sides.rated, random_draws=True, item_ids=ids)


def _constant(spec: Constant, results: Results) -> Drawn:
    sides = _rated(spec, results)
    trained = tuple(results.select(part) for part in each(spec.training))
    training, ids = pooled(trained), sides.judge.item_ids
    selected = (*sides.rated, *trained)
    if not training.used.num_rows:
        return Drawn((), selected, "no rated item in the training split")
    known = label_items(training.matrix(training.item_ids), spec.label_rule)
    defects = float(np.mean(known[~np.isnan(known)] <= spec.threshold))
    score = DEFECT_SCORE if defects >= 0.5 else NO_DEFECT_SCORE
    labels = label_items(sides.human.matrix(ids), spec.label_rule)
    parameters = {"label_rule": spec.label_rule, "constant": score}
    pairs = Pairs(np.full(len(ids), score), labels)
    return Drawn([pairs], selected, "", parameters, item_ids=ids)


def _linked_pairs(spec: LinkedPairs, results: Results) -> Drawn:
    judge, human = results.select(spec.judge), results.select(spec.human)
    links = results.links(spec.links) if spec.links else None
    joined = join_items(judge.item_ids, human.item_ids, links)
    if not joined.matched:
        return Drawn((), (judge, human), "no item that both rated")
    first = judge.mean_scores([judge.item_ids[i] for i in joined.left])
    second = human.mean_scores([human.item_ids[i] for i in joined.right])
    return Drawn([Pairs(first, second)], (judge, human))


def _rater_pairs(spec: RaterPairs, results: Results) -> Drawn:
    selected = results.select(spec.ratings)
    values = selected.matrix(selected.item_ids).values
    if values.shape[0] < 2:
        return Drawn((), (selected,), "one rater: nobody to compare with")
    return Drawn([Pairs(a, b) for a, b in combinations(values, 2)], (selected,))


def _rater_matrix(spec: RaterMatrix, results: Results) -> Drawn:
    selected = results.select(spec.ratings)
    ids = selected.item_ids
    if spec.failed is None:
        return Drawn([selected.matrix(ids)], (selected,))
    filled = selected.filled(spec.failed).matrix(ids)
    return Drawn([filled], (selected,), "", {"failed": spec.failed})


def _shift(spec: Shift, results: Results) -> Drawn:
    varied = _rater_matrix(RaterMatrix(spec.ratings, spec.failed), results)
    default = results.select(spec.default)
    if results.select(spec.ratings).item_ids != default.item_ids:
        return Drawn((), (*varied.selected, default), "the two readings are of different items")
    same = spec.ratings.where == spec.default.where
    selected = varied.selected if same else (*varied.selected, default)
    parameters = {**varied.parameters, "shift_from": dict(spec.default.where).get("reading")}
    against = default.matrix(default.item_ids)
    return Drawn(varied.samples, selected, "", parameters, against=against)


def _writer_groups(spec: WriterGroups, results: Results) -> Drawn:
    first, second = results.select(spec.first), results.select(spec.second)
    matrices: list[Matrix] = [s.matrix(s.item_ids) for s in (first, second)]
    return Drawn([TwoGroups(*matrices)], (first, second))


def _contrast(spec: Contrast, results: Results) -> Drawn:
    arms = [arm for match in spec.matches for arm in (*match.first, *match.second)]
    drawn = {arm: draw(arm.pairs, results) for arm in arms}
    ids, samples = aligned({arm: (arm.judged.human, part) for arm, part in drawn.items()})
    scored = {
        arm: Scored(samples[arm], {"judge_rule": arm.judge_rule} if arm.judge_rule else {})
        for arm in drawn
    }
    matches = [
        ([scored[arm] for arm in match.first], [scored[arm] for arm in match.second])
        for match in spec.matches
    ]
    empty = next((part.reason for part in drawn.values() if part.reason), "")
    every = {id(one): one for part in drawn.values() for one in part.selected}
    told = {"matches": [match.facts() for match in spec.matches]}
    return Drawn((), tuple(every.values()), empty, told, item_ids=ids, matches=matches)


def _title_pairs(spec: TitlePairs, results: Results) -> Drawn:
    benign, attacked = results.select(spec.benign), results.select(spec.attacked)
    ids, first, second = paired(benign, attacked, results.items(spec.items, {}))
    rated = (benign, attacked)
    return Drawn([first], rated, too_few(len(ids)), against=second, item_ids=ids)


DRAWS: dict[type, Callable[[Any, Results], Drawn]] = {
    JudgeAgainstHuman: _judge_against_human,
    HumanCeiling: _human_ceiling,
    Constant: _constant,
    JudgeDifference: _judge_difference,
    RaterMatrix: _rater_matrix,
    Shift: _shift,
    WriterGroups: _writer_groups,
    LinkedPairs: _linked_pairs,
    RaterPairs: _rater_pairs,
    Rescored: _rescored,
    Contrast: _contrast,
    TitlePairs: _title_pairs,
}
