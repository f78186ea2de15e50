"""The sample of own dialogues: made again byte for byte, and read as what it is."""

import json
import runpy
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrial.config import Dataset, Split
from retrial.items.base import item_ids
from retrial.items.build import build_items
from retrial.items.readers import get_reader

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
FILE = SAMPLE / "dialogues.jsonl"
RULES = ["rule-a", "rule-b", "rule-c"]


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def stock() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((SAMPLE / "stock.yaml").read_text(encoding="utf-8"))
    return found


def test_the_generator_makes_the_same_bytes(tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    runpy.run_path(str(SAMPLE / "make_dialogues.py"))["main"](again)
    assert again.read_bytes() == FILE.read_bytes()


def test_no_record_can_be_taken_for_peoples_ratings(records: list[dict[str, Any]]) -> None:
    assert len(records) == 200
    assert all(one["ratings_by"] == "rule" and list(one["ratings"]) == RULES for one in records)


def test_the_sample_is_read_whole() -> None:
    options = {"strata_columns": "domain"}
    found = get_reader("own-dialogues")([FILE], source="own", strata={}, options=options)
    assert len(set(item_ids(found))) == len(found) == 200
    assert {one.strata["ratings_by"] for one in found} == {"rule"}
    assert set(Counter(one.strata["domain"] for one in found).values()) == {20}
    spec = Dataset(
        reader="own-dialogues", label="sample", raters="positions", options={**options},
        paths=["data/sample/dialogues.jsonl"],
        split=Split(test=0.2, seed=1),
    )  # fmt: skip
    items, ratings = build_items("own", spec, [FILE])
    assert Counter(items["split"].to_pylist()) == {"train": 160, "test": 40}
    assert Counter(ratings["rater"].to_pylist()) == dict.fromkeys(RULES, 200)
    assert set(ratings["score"].to_pylist()) == {1.0, 2.0, 3.0, 4.0, 5.0}
    assert set(items["source"].to_pylist()) == {"own/dialogues.jsonl"}


def test_dialogues_vary_in_length_and_in_quality(records: list[dict[str, Any]]) -> None:
    lengths = {len(one["turns"]) for one in records}
    assert lengths == set(range(2, 11))
    defects = sum(sum(one["ratings"].values()) <= 3 * len(RULES) for one in records)
    assert 0.3 * len(records) < defects < 0.7 * len(records)


def test_speakers_take_turns_and_the_user_begins(records: list[dict[str, Any]]) -> None:
    for one in records:
        speakers = [turn["speaker"] for turn in one["turns"]]
        assert speakers == (["USER", "SYSTEM"] * 5)[: len(speakers)]
        assert all(turn["text"].strip() and "{" not in turn["text"] for turn in one["turns"])


def test_better_ends_are_rated_better(records: list[dict[str, Any]], stock: dict[str, Any]) -> None:
    """The user's last words and the ratings come from the same composition."""
    means: dict[str, float] = {}
    for mood, sentences in stock["last"].items():
        of_mood = [one for one in records if one["turns"][-1]["text"] in sentences]
        scores = [score for one in of_mood for score in one["ratings"].values()]
        means[mood] = sum(scores) / len(scores)
    assert means["warm"] > means["grudging"] > means["quits"]
    assert means["plain"] > means["accepts"] > means["unhappy"] > means["quits"]


def test_a_wrong_detail_can_always_be_seen(stock: dict[str, Any]) -> None:
    """Every sentence that says it is done names every detail of its task."""
    for task in stock["tasks"].values():
        for sentence in task["done"]:
            named = {name for _, name, _, _ in string.Formatter().parse(sentence)}
            assert set(task["slots"]) <= named
        assert set(task["ask"]) == set(task["tell"]) == set(task["slots"])
