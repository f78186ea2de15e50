"""The reader of the stories that the teachers of the mixed design rated."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from independent_chiang2023 import ATTRIBUTES, independent_scores

from retrial.errors import RetrialError
from retrial.items.base import to_tables
from retrial.items.readers import get_reader
from retrial.items.readers.chiang2023_stories import Story, read

NAME = "human_eval_result.json"


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "prompt": "A door.",
        "story": 'She said "no" .\n',
        "human_written": 1,
        "grammar": [5, 4, 3],
        "cohesive": [1, 2, 3],
        "enjoy": [2, 2, 2],
        "relevant": [4, 5, 1],
        **changes,
    }


def read_one(path: Path) -> list[Story]:
    return read([path], source="llm-evaluation", strata={}, options={})


def written(folder: Path, data: Any) -> Path:
    path = folder / "stories.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def test_a_story_keeps_its_text_and_every_rating(tmp_path: Path) -> None:
    path = written(tmp_path, {"a/b": entry(), "9": entry(human_written=0, prompt="#NAME?")})
    first, second = read([path], source="here", strata={"subset": "mixed"}, options={})
    assert first.content() == {"kind": "story", "text": 'She said "no" .\n', "context": "A door."}
    assert first.strata == {"subset": "mixed", "writer": "human-written", "key": "a/b"}
    assert second.strata["writer"] == "gpt2"
    assert second.strata["prompt_damaged"] == "yes"
    assert second.context == "#NAME?"
    assert (first.source, second.source_line) == ("here/stories.json", 2)
    scores = {(r.attribute, r.rater): r.score for r in first.ratings}
    assert scores["grammaticality", "teacher-1"] == 5.0
    assert scores["likability", "teacher-2"] == 2.0
    assert scores["relevance", "teacher-3"] == 1.0
    assert len(scores) == 12


def test_a_changed_story_changes_one_id(tmp_path: Path) -> None:
    stories = {str(k): entry(story=f"Story {k}.") for k in range(5)}
    before = to_tables(read_one(written(tmp_path, stories)), "d")[0]["item_id"].to_pylist()
    stories["3"]["story"] += " "
    after = to_tables(read_one(written(tmp_path, stories)), "d")[0]["item_id"].to_pylist()
    assert [a != b for a, b in zip(before, after, strict=True)] == [False] * 3 + [True, False]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"grammar": [5, 4]}, "/7/grammar"),
        ({"enjoy": [1, 2, 6]}, "/7/enjoy/2"),
        ({"enjoy": [1, 0, 5]}, "/7/enjoy/1"),
        ({"relevant": [1, 2.5, 5]}, "/7/relevant/1"),
        ({"relevant": [True, 2, 5]}, "/7/relevant/0"),
        ({"relevant": [1, None, 5]}, "/7/relevant/1"),
        ({"story": " "}, "/7/story"),
        ({"prompt": None}, "/7/prompt"),
        ({"human_written": "1"}, "/7/human_written"),
        ({"human_written": True}, "/7/human_written"),
        ({"human_written": []}, "/7/human_written"),
        ({"rater": 3}, "/7:"),
    ],
)
def test_faults_are_named_by_file_and_place(
    tmp_path: Path, change: dict[str, Any], place: str
) -> None:
    path = written(tmp_path, {"1": entry(), "7": entry(**change)})
    with pytest.raises(RetrialError) as caught:
        read_one(path)
    assert str(path) in str(caught.value)
    assert place in str(caught.value)


@pytest.mark.parametrize("data", ["{}", "[]", "3", '{"1": [', '{"1": 3}', '{"1": 1, "1": 2}', ""])
def test_files_that_hold_no_stories_are_refused(tmp_path: Path, data: str) -> None:
    with pytest.raises(RetrialError, match=r"stories\.json"):
        read_one(written(tmp_path, data))


def test_missing_and_undecodable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="no such file"):
        read_one(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes('{"é": 1}'.encode("latin-1"))
    with pytest.raises(RetrialError, match="UTF-8"):
        read_one(tmp_path / "latin.json")


def test_there_are_no_options_and_no_empty_lists(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="limit"):
        read([tmp_path], source="s", strata={}, options={"limit": 3})
    with pytest.raises(RetrialError, match="files"):
        read([], source="s", strata={}, options={})


@pytest.fixture(scope="module")
def released(mirror: Path) -> tuple[pa.Table, pa.Table]:
    reader = get_reader("chiang2023-stories")
    path = mirror / "llm-evaluation" / NAME
    return to_tables(reader([path], source="llm-evaluation", strata={}, options={}), "stories")


@pytest.mark.realdata
def test_released_stories(released: tuple[pa.Table, pa.Table], mirror: Path) -> None:
    items, _ = released
    rows = items.to_pylist()
    raw = json.loads((mirror / "llm-evaluation" / NAME).read_text("utf-8"))
    strata = [dict(row["strata"]) for row in rows]
    assert Counter(s["writer"] for s in strata) == {"human-written": 200, "gpt2": 200}
    assert [s["key"] for s in strata] == list(raw)
    assert [row["text"] for row in rows] == [e["story"] for e in raw.values()]
    assert [row["context"] for row in rows] == [e["prompt"] for e in raw.values()]
    assert {s["key"] for s in strata if "prompt_damaged" in s} == {"7", "340", "375"}
    assert {row["split"] for row in rows} == {"all"}


@pytest.mark.realdata
def test_released_ratings_are_those_of_the_independent_route(
    released: tuple[pa.Table, pa.Table], mirror: Path
) -> None:
    items, ratings = released
    writer = {row["item_id"]: dict(row["strata"])["writer"] for row in items.to_pylist()}
    found: dict[tuple[str, str], list[float]] = {}
    for row in ratings.to_pylist():
        found.setdefault((writer[row["item_id"]], row["attribute"]), []).append(row["score"])
    wanted = independent_scores(mirror / "llm-evaluation" / NAME)
    assert found == {cell: scores.ravel().tolist() for cell, scores in wanted.items()}
    assert {a for _, a in found} == set(ATTRIBUTES)
    assert set(ratings["rater"].to_pylist()) == {"teacher-1", "teacher-2", "teacher-3"}
