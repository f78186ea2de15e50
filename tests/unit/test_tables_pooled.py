"""Pooled cells: the numbers are those of all datasets' items together, each counted once."""

import numpy as np
import pytest
from core_rows import rating, write
from dialogue_folder import LARGE, PEOPLE, SMALL, folder
from scipy import stats

from retrial.errors import RetrialError
from retrial.metrics.bootstrap import draw_weights
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Constant,
    Declaration,
    HumanCeiling,
    JudgeAgainstHuman,
    JudgeDifference,
    Ledger,
)
from retrial.tables.description import Description
from retrial.tables.samples import draw
from retrial.tables.select import Results
from retrial.tables.selection import Selection, selections_of

BOOTSTRAP = Bootstrap(resamples=200, level=0.95, seed=5)
MEANS = {i: np.mean(given) for people in PEOPLE.values() for i, given in people.items()}


def of_judge(judge="small"):
    where = (("condition", "zero-shot"), ("reading", "expectation"))
    return tuple(
        Selection("judge", f"ratings/{judge}/{d}/tuning.parquet", where) for d in ("one", "two")
    )


def of_people(split="test", role="human"):
    return tuple(
        Selection(role, f"ratings/human/{d}.parquet", (), f"items/{d}.parquet", split)
        for d in ("one", "two")
    )


POOLED = JudgeAgainstHuman(of_judge(), of_people(), "mean")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(folder(tmp_path_factory.mktemp("results")))


def built(results, *specs):
    table = build_cells(
        Declaration("s_t", specs, Description("t", ())), results, Printed.of([]), BOOTSTRAP
    )
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


def cell(results, metric, sample, **fields):
    return built(results, CellSpec("r", "c", "", metric, sample, **fields))["r", "c"]


@pytest.mark.parametrize("metric", ["spearman", "pearson"])
def test_a_pooled_correlation_is_that_of_all_items_together(results, metric):
    scored = [i for i, score in SMALL.items() if score is not None]
    function = {"spearman": stats.spearmanr, "pearson": stats.pearsonr}[metric]
    expected = function([SMALL[i] for i in scored], [MEANS[i] for i in scored]).statistic
    found = cell(results, metric, POOLED)
    assert found["value"] == pytest.approx(expected, abs=1e-12)
    assert found["n"] == 6
    assert found["excluded"] == [("no_rating_token", 1)]


def test_a_pooled_cell_names_every_file_that_it_was_taken_from(results):
    parts = cell(results, "spearman", POOLED)["selections"]
    assert [(p["role"], p["file"], p["n"]) for p in parts] == [
        ("judge", "ratings/small/one/tuning.parquet", 4),
        ("judge", "ratings/small/two/tuning.parquet", 2),
        ("human", "ratings/human/one.parquet", 3 + 3 + 3 + 3),
        ("human", "ratings/human/two.parquet", 2 + 2 + 3),
    ]
    assert len({p["members_sha256"] for p in parts}) == 4


def test_one_dataset_pools_to_itself(results):
    alone = JudgeAgainstHuman(of_judge()[0], of_people()[0], "mean")
    listed = JudgeAgainstHuman(of_judge()[:1], of_people()[:1], "mean")
    assert cell(results, "spearman", alone) == cell(results, "spearman", listed)


def test_an_item_of_two_datasets_would_count_twice(tmp_path):
    root = folder(tmp_path)
    copied = [rating(i, 3.0, judge="small", dataset="two") for i in ("a", "e")]
    write(root, "ratings/small/two/tuning.parquet", "ratings", *copied)
    with pytest.raises(RetrialError, match="both rate item a: pooled, it would count twice"):
        draw(POOLED, Results(root))


def test_each_dataset_needs_both_sides(results):
    uneven = JudgeAgainstHuman(of_judge(), of_people()[:1], "mean")
    with pytest.raises(RetrialError, match="2 selections of the judge and 1 of people"):
        draw(uneven, results)


def test_a_judge_without_variation_has_no_correlation(tmp_path):
    root = folder(tmp_path)
    for dataset, ids in (("one", "abcd"), ("two", "efg")):
        rows = [rating(i, 3.0, judge="small", dataset=dataset) for i in ids]
        write(root, f"ratings/small/{dataset}/tuning.parquet", "ratings", *rows)
    found = cell(Results(root), "pearson", POOLED)
    assert (found["value"], found["reason"]) == (None, "the first scores are all equal")


def test_the_pooled_ceiling_takes_one_rater_of_every_item(results):
    drawn = draw(HumanCeiling(of_people(), of_judge()), results)
    assert list(drawn.item_ids) == list("abcdefg")
    seen = {i: set() for i in drawn.item_ids}
    for pairs in drawn.samples:
        for name, first, second in zip(drawn.item_ids, pairs.first, pairs.second, strict=True):
            seen[name].add((first, second))
    assert seen["a"] == {(1, 2.5), (2, 2.0), (3, 1.5)}
    assert seen["e"] == {(2, 1.0), (1, 2.0)}
    assert [s.selection.file for s in drawn.selected] == [s.file for s in of_people()]


def test_the_pooled_constant_is_the_majority_of_all_training_items(results):
    """Two of the three training items are defects, though none of the first dataset's is."""
    training = of_people("train", "training")
    pooled = draw(Constant(of_people(), of_judge(), training, "mean", 3.0), results)
    assert pooled.parameters["constant"] == 3.0
    assert pooled.samples[0].first.tolist() == [3.0] * 7
    first = Constant(of_people()[0], of_judge()[0], training[0], "mean", 3.0)
    assert draw(first, results).parameters["constant"] == 4.0


def test_counts_are_those_of_all_datasets(results):
    answers = tuple(f"answers/small/{d}/tuning.parquet" for d in ("one", "two"))
    counted = {
        metric: cell(results, metric, Ledger(of_judge(), answers))
        for metric in ("items-scored", "answers-read", "answers-failed", "answers-cut")
    }
    assert {m: c["value"] for m, c in counted.items()} == {
        "items-scored": 6.0, "answers-read": 6.0, "answers-failed": 1.0,
        "answers-cut": pytest.approx(1 / 7),
    }  # fmt: skip
    assert [s["file"] for s in counted["answers-read"]["selections"]] == [
        s.file for s in of_judge()
    ]


# Judge against judge.

DIFFERENCE = JudgeDifference(of_judge(), of_judge("large"), of_people(), "mean")
COMMON = [i for i in SMALL if SMALL[i] is not None and LARGE[i] is not None]


def test_judges_are_compared_on_the_items_that_both_scored(results):
    labels = [MEANS[i] for i in COMMON]
    first = stats.pearsonr([SMALL[i] for i in COMMON], labels).statistic
    second = stats.pearsonr([LARGE[i] for i in COMMON], labels).statistic
    found = cell(results, "pearson", DIFFERENCE)
    assert COMMON == ["a", "b", "c", "d", "f"]
    assert found["n"] == 5
    assert found["value"] == pytest.approx(first - second, abs=1e-12)
    assert [(s["role"], s["file"].split("/")[1]) for s in found["selections"]] == [
        ("judge", "small"), ("judge", "small"), ("judge", "large"), ("judge", "large"),
        ("human", "human"), ("human", "human"),
    ]  # fmt: skip


def test_interval_and_p_follow_from_resampling_both_judges_together(results):
    """The same dialogues are drawn for both; worked again one resample at a time."""
    small, large = (np.array([judge[i] for i in COMMON]) for judge in (SMALL, LARGE))
    labels = np.array([MEANS[i] for i in COMMON])
    shifts = []
    for weights in np.concatenate(list(draw_weights(len(COMMON), 400, BOOTSTRAP.seed))):
        drawn = np.repeat(np.arange(len(COMMON)), weights.astype(int))
        if len(set(drawn)) > 1:
            both = [stats.pearsonr(side[drawn], labels[drawn])[0] for side in (small, large)]
            shifts.append(round(both[0] - both[1], 9))
    low, high = np.quantile(shifts, [0.025, 0.975])
    tail = min(sum(s <= 0 for s in shifts), sum(s >= 0 for s in shifts))
    p = min(1.0, 2 * (1 + tail) / (len(shifts) + 1))

    found = cell(results, "pearson", DIFFERENCE, resamples=400)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low, high), abs=1e-9)
    assert cell(results, "pearson", DIFFERENCE, resamples=400, extra="p")["value"] == (
        pytest.approx(p, abs=1e-12)
    )


def test_a_judge_equals_itself(results):
    same = JudgeDifference(of_judge(), of_judge(), of_people(), "mean")
    found = cell(results, "spearman", same)
    assert (found["value"], found["ci_low"], found["ci_high"]) == (0.0, 0.0, 0.0)
    assert cell(results, "spearman", same, extra="p")["value"] == 1.0


def test_swapping_the_judges_turns_the_sign(results):
    swapped = JudgeDifference(DIFFERENCE.other, DIFFERENCE.judge, of_people(), "mean")
    one, other = (cell(results, "spearman", d) for d in (DIFFERENCE, swapped))
    assert one["value"] == -other["value"]
    assert one["ci_low"] == pytest.approx(-other["ci_high"])


def test_judges_without_a_common_item_are_not_compared(tmp_path):
    root = folder(tmp_path)
    for dataset, ids in (("one", "abcd"), ("two", "efg")):
        rows = [rating(i, None, judge="large", dataset=dataset) for i in ids]
        write(root, f"ratings/large/{dataset}/tuning.parquet", "ratings", *rows)
    found = cell(Results(root), "spearman", DIFFERENCE)
    assert (found["value"], found["n"]) == (None, 0)
    assert found["reason"] == "no item that both judges scored"


def test_every_selection_of_a_sample_is_found():
    assert list(selections_of(DIFFERENCE)) == [*of_judge(), *of_judge("large"), *of_people()]
    assert list(selections_of(Ledger(of_judge()[0], "answers"))) == [of_judge()[0]]
