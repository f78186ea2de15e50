"""The reader of the recorded answers: structure, ids and the place of every answer."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from retrial.errors import RetrialError
from retrial.items.chiang2023 import ATTRIBUTES
from retrial.judging.recordings.chiang2023 import Recording, pointer, read_answers

KEY_OF = {"human-written": "targets", "gpt2": "predictions"}
DAVINCI = {
    "plain": "davinci-temp-1-top_p-0.9.json",
    "persona": "davinci-persona-temp-1-top_p-0.9.json",
    "explain": "davinci-explain-temp-1-top_p-0.9.json",
}


def labelled() -> dict[str, Any]:
    """A file in which every answer is its own JSON pointer."""
    return {
        key: [[[f"/{key}/{a}/{i}/{s}" for s in range(3)] for i in range(200)] for a in range(4)]
        for key in KEY_OF.values()
    }


def written(folder: Path, data: Any, name: str = "answers.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data), "utf-8")
    return path


def recorded(path: Path, **changes: str) -> Recording:
    asked = {
        "judge": "davinci",
        "condition": "plain",
        "family": "davinci-answers",
        "model": "text-davinci-003",
        "source": "llm-evaluation",
    }
    return read_answers(path, **{**asked, **changes})


def test_every_answer_is_where_its_pointer_says(tmp_path: Path) -> None:
    found = recorded(written(tmp_path, labelled()))
    items = {row["item_id"]: dict(row["strata"]) for row in found.items.to_pylist()}
    prompts = {row["prompt_id"]: row for row in found.prompts.to_pylist()}
    assert (len(items), len(prompts), found.answers.num_rows) == (400, 1600, 4800)
    for row in found.answers.to_pylist():
        prompt = prompts[row["prompt_id"]]
        strata = items[prompt["item_id"]]
        where = pointer(
            strata["writer"], prompt["attribute"], int(strata["position"]), row["sample"]
        )
        assert row["text"] == found.pointers[row["request_id"]] == where


def test_pointers_follow_the_order_of_writers_and_attributes() -> None:
    assert pointer("human-written", "cohesiveness", 17, 2) == "/targets/1/17/2"
    assert pointer("gpt2", "relevance", 199, 0) == "/predictions/3/199/0"


@pytest.mark.parametrize(
    "place",
    [
        ("t5", "relevance", 0, 0),
        ("gpt2", "fluency", 0, 0),
        ("gpt2", "relevance", 200, 0),
        ("gpt2", "relevance", -1, 0),
        ("gpt2", "relevance", 0, 3),
    ],
)
def test_pointers_to_nowhere_are_refused(place: tuple[str, str, int, int]) -> None:
    with pytest.raises(RetrialError, match="there is no answer"):
        pointer(*place)


def ids(found: Recording) -> tuple[list[str], list[str], list[str]]:
    """Ids of items, prompts and requests."""
    tables = (found.items, "item_id"), (found.prompts, "prompt_id"), (found.answers, "request_id")
    items, prompts, requests = ([str(x) for x in t[name].to_pylist()] for t, name in tables)
    return items, prompts, requests


def test_what_was_asked_decides_the_ids(tmp_path: Path) -> None:
    path = written(tmp_path, labelled())
    first = ids(recorded(path))
    assert ids(recorded(path, judge="another-name")) == first
    by_model = ids(recorded(path, model="text-curie-001"))
    assert by_model[:2] == first[:2]
    assert set(by_model[2]).isdisjoint(first[2])
    by_condition = ids(recorded(path, condition="persona"))
    assert by_condition[0] == first[0]
    assert set(by_condition[1]).isdisjoint(first[1])
    by_family = ids(recorded(path, family="curie-answers"))
    assert all(set(a).isdisjoint(b) for a, b in zip(by_family, first, strict=True))


def test_what_came_back_changes_one_row_and_no_id(tmp_path: Path) -> None:
    data = labelled()
    before = recorded(written(tmp_path, data, "a.json"))
    data["predictions"][2][5][1] = "4"
    after = recorded(written(tmp_path, data, "b.json"))
    assert ids(before) == ids(after)
    changed = pc.not_equal(before.answers["answer_sha256"], after.answers["answer_sha256"])
    rows = after.answers.filter(changed).to_pylist()
    assert [after.pointers[row["request_id"]] for row in rows] == ["/predictions/2/5/1"]
    assert rows[0]["text"] == "4"


Mutation = Callable[[dict[str, Any]], None]

FAULTS: dict[str, Mutation] = {
    "at the top": lambda d: d.pop("targets"),
    "at /predictions:": lambda d: d["predictions"].pop(),
    "at /targets:": lambda d: d.update(targets="none"),
    "at /targets/2: 199 stories, wanted 200": lambda d: d["targets"][2].pop(),
    "at /targets/1/17: 2 answers, wanted 3": lambda d: d["targets"][1][17].pop(),
    "at /targets/1/18: wanted a list": lambda d: d["targets"][1].__setitem__(18, "4"),
    "at /predictions/3/0/1: 4 is not": lambda d: d["predictions"][3][0].__setitem__(1, 4),
}
VALID = labelled()


@pytest.mark.parametrize("place", FAULTS)
def test_faults_are_named_by_file_and_place(tmp_path: Path, place: str) -> None:
    data = copy.deepcopy(VALID)
    FAULTS[place](data)
    path = written(tmp_path, data)
    with pytest.raises(RetrialError) as caught:
        recorded(path)
    assert str(path) in str(caught.value)
    assert place in str(caught.value)


@pytest.mark.realdata
def test_davinci_files_share_their_items(mirror: Path) -> None:
    folder = mirror / "llm-evaluation"
    found = [recorded(folder / name, condition=c) for c, name in DAVINCI.items()]
    first, *others = (r.items.drop_columns(["source"]) for r in found)
    assert all(items.equals(first) for items in others)
    requests = [row for r in found for row in r.answers["request_id"].to_pylist()]
    assert len(set(requests)) == 3 * 4800


@pytest.mark.realdata
@pytest.mark.parametrize("name", [*DAVINCI.values(), "curie-temp-1-top_p-0.9.json"])
def test_released_answers_are_verbatim(mirror: Path, name: str) -> None:
    path = mirror / "llm-evaluation" / name
    raw = json.loads(path.read_text("utf-8"))
    found = recorded(path)
    for row in found.answers.to_pylist():
        value = raw
        for step in found.pointers[row["request_id"]].split("/")[1:]:
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert row["text"] == value


@pytest.mark.realdata
@pytest.mark.parametrize("name", DAVINCI.values())
def test_the_wording_shows_the_order_of_attributes(mirror: Path, name: str) -> None:
    """Answers that speak of an attribute stand, with few exceptions, where it is expected."""
    raw = json.loads((mirror / "llm-evaluation" / name).read_text("utf-8"))
    stems = dict(zip(ATTRIBUTES, ("gramma", "cohe", "enjoy", "relevan"), strict=True))
    for key in KEY_OF.values():
        for place, stem in enumerate(stems.values()):
            hits = [sum(stem in t.lower() for texts in a for t in texts) for a in raw[key]]
            assert hits.pop(place) > 10 * max(hits)
