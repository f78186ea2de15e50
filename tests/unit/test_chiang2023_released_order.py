"""The order of the released answer files, checked against earlier recoveries and by its effect."""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from chiang2023_cases import Case, keys, places
from independent_chiang2023 import ATTRIBUTES, independent_scores
from scipy.stats import kendalltau

from retrial.items.base import to_tables
from retrial.items.readers.chiang2023_stories import read
from retrial.judging.recordings.chiang2023 import read_answers
from retrial.links.join import join_items
from retrial.links.story_order import recover_order

ORDER = Path(__file__).parents[1] / "data" / "story_order.csv"
FILES = {
    "plain": "davinci-temp-1-top_p-0.9.json",
    "persona": "davinci-persona-temp-1-top_p-0.9.json",
    "explain": "davinci-explain-temp-1-top_p-0.9.json",
}
KEY_COLUMNS = {"human-written": "human_written_key", "gpt2": "gpt2_key"}


@pytest.fixture(scope="module")
def real(mirror: Path) -> Case:
    """The davinci recordings and the released stories."""
    folder = mirror / "llm-evaluation"
    found = [
        read_answers(
            folder / name,
            judge="davinci",
            condition=condition,
            family="davinci-answers",
            model="text-davinci-003",
            source="llm-evaluation",
        )
        for condition, name in FILES.items()
    ]
    stories = read(
        [folder / "human_eval_result.json"], source="llm-evaluation", strata={}, options={}
    )
    prompts, answers = (
        pa.concat_tables(part) for part in zip(*(r[1:3] for r in found), strict=True)
    )
    return Case(found[0].items, prompts, answers, to_tables(stories, "stories")[0])


@pytest.fixture(scope="module")
def reference() -> list[dict[str, str]]:
    """Two earlier recoveries of the order, position by position."""
    with ORDER.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.realdata
def test_the_order_agrees_with_two_earlier_recoveries(
    real: Case, reference: list[dict[str, str]], record_property: Callable[[str, object], None]
) -> None:
    """On every position where those two agree; what they dispute can't be settled."""
    found, place = keys(real), places(real)
    differs = {
        place[name][1]
        for name, key in found.items()
        if str(key) != reference[place[name][1]][KEY_COLUMNS[place[name][0]]]
    }
    record_property("positions that agree with the first recovery", 200 - len(differs))
    disputed = {p for p, row in enumerate(reference) if row["recoveries_agree"] == "0"}
    assert len(found) == 400
    assert len(disputed) == 6
    assert differs <= disputed


@pytest.mark.realdata
def test_certainty_marks_repeated_prompts_and_overruled_positions(
    real: Case, reference: list[dict[str, str]]
) -> None:
    links, place = real.links(), places(real)
    tied = {place[name][1] for name, link in links.items() if link["certainty"] == "tied"}
    assert tied == {p for p, row in enumerate(reference) if row["repeated_prompt"] == "1"}
    counts = Counter(link["certainty"] for link in links.values())
    assert counts["weak"] < 0.03 * len(links)
    assert all((link["margin"] > 0) for link in links.values() if link["certainty"] == "clear")
    assert len({link["item_id"] for link in links.values()}) == len(links) == 400


@pytest.mark.realdata
def test_other_settings_move_tied_positions_only(real: Case) -> None:
    plain = real.links()
    other = real.links(settings={"sublinear_tf": True, "stop_words": "english"})
    moved = {n for n in plain if plain[n]["item_id"] != other[n]["item_id"]}
    assert moved <= {n for n, link in plain.items() if link["certainty"] == "tied"}


# Kendall's tau-b of story sums: teachers of the mixed design against davinci, by attribute.
TAU = {
    "human-written": (0.091, 0.182, 0.152, 0.305),
    "gpt2": (0.051, 0.080, 0.106, 0.470),
}


@pytest.mark.realdata
@pytest.mark.parametrize("writer", TAU)
def test_tau_with_the_recovered_order(real: Case, mirror: Path, writer: str) -> None:
    folder = mirror / "llm-evaluation"
    judge = independent_scores(folder / FILES["plain"])
    teachers = independent_scores(folder / "human_eval_result.json")
    left = [name for name, (w, _) in places(real).items() if w == writer]
    rows = real.released.to_pylist()
    right = [row["item_id"] for row in rows if dict(row["strata"])["writer"] == writer]
    joined = join_items(left, right, recover_order(*real))
    assert (joined.matched, joined.left_only, joined.right_only) == (200, 0, 0)
    assert joined.inferred
    found = []
    for attribute in ATTRIBUTES:
        a = judge[writer, attribute].sum(axis=1)[joined.left]
        b = teachers[writer, attribute].sum(axis=1)[joined.right]
        found.append(float(kendalltau(a, b, variant="b").statistic))
    assert found == pytest.approx(list(TAU[writer]), abs=0.5e-3 + 1e-12)


@pytest.mark.realdata
def test_positions_alone_give_no_correlation(mirror: Path) -> None:
    """Zipping the two files by position, which the join refuses, would compare strangers."""
    folder = mirror / "llm-evaluation"
    judge = independent_scores(folder / FILES["plain"])
    teachers = independent_scores(folder / "human_eval_result.json")
    assert len(judge) == 8
    for cell, scores in judge.items():
        found = kendalltau(scores.sum(axis=1), teachers[cell].sum(axis=1))
        assert found.pvalue > 0.05
