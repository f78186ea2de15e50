"""From a declared sample to the arrays that a metric reads.

Joins are by item id: a pair of scores exists for the items that both sides rated.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from retrial.links.join import join_items
from retrial.metrics import Matrix, Pairs, TwoGroups
from retrial.metrics.base import Sample
from retrial.metrics.ceiling import human_ceiling_pairs
from retrial.metrics.labels import label_items
from retrial.tables.declare import (
    Constant,
    HumanCeiling,
    JudgeAgainstHuman,
    LinkedPairs,
    RaterMatrix,
    RaterPairs,
    SampleSpec,
    Shift,
    WriterGroups,
)
from retrial.tables.select import Results, Selected

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

    @property
    def excluded(self) -> dict[str, int]:
        """Ratings of all roles left out, by status."""
        total: Counter[str] = Counter()
        for selected in self.selected:
            total.update(selected.excluded)
        return dict(sorted(total.items()))


def draw(spec: SampleSpec, results: Results) -> Drawn:
    """The samples of a declared cell."""
    return DRAWS[type(spec)](spec, results)


def _judge_against_human(spec: JudgeAgainstHuman, results: Results) -> Drawn:
    judge, human = results.select(spec.judge), results.select_rated_by(spec.human, spec.judge)
    ids = judge.item_ids
    labels = label_items(human.matrix(ids), spec.label_rule)
    parts = [judge]
    if spec.replicates == "mean-of-metrics":
        parts = [judge.replicate(number) for number in judge.replicates]
    samples = [Pairs(part.mean_scores(ids), labels) for part in parts]
    parameters = {"label_rule": spec.label_rule, "replicates": spec.replicates}
    return Drawn(samples, (judge, human), "" if ids else "no items", parameters)


def _human_ceiling(spec: HumanCeiling, results: Results) -> Drawn:
    judge, human = results.select(spec.judge), results.select_rated_by(spec.human, spec.judge)
    matrix = human.matrix(judge.item_ids)
    if int(matrix.counts.max(initial=0)) < 2:
        return Drawn((), (human,), "one rating an item: nobody to compare it with")
    return Drawn(human_ceiling_pairs(matrix), (human,), random_draws=True)


def _constant(spec: Constant, results: Results) -> Drawn:
    judge, human = results.select(spec.judge), results.select_rated_by(spec.human, spec.judge)
    training = results.select(spec.training)
    ids = judge.item_ids
    if not training.used.num_rows:
        return Drawn((), (human, training), "no rated item in the training split")
    trained = label_items(training.matrix(training.item_ids), spec.label_rule)
    defects = float(np.mean(trained[~np.isnan(trained)] <= spec.threshold))
    score = DEFECT_SCORE if defects >= 0.5 else NO_DEFECT_SCORE
    labels = label_items(human.matrix(ids), spec.label_rule)
    parameters = {"label_rule": spec.label_rule, "constant": score}
    return Drawn([Pairs(np.full(len(ids), score), labels)], (human, training), "", parameters)


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


DRAWS: dict[type, Callable[[Any, Results], Drawn]] = {
    JudgeAgainstHuman: _judge_against_human,
    HumanCeiling: _human_ceiling,
    Constant: _constant,
    RaterMatrix: _rater_matrix,
    Shift: _shift,
    WriterGroups: _writer_groups,
    LinkedPairs: _linked_pairs,
    RaterPairs: _rater_pairs,
}
