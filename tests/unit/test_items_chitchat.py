"""The reader of the chats that the chitchat-dataset package ships."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, item_ids
from retrial.items.readers import get_reader
from retrial.items.readers.chitchat import overall


def read(*paths: Path, **options: Any) -> list[Dialogue]:
    found = get_reader("chitchat")(
        paths, source="chitchat-dataset", strata={"kind": "chat"}, options=options
    )
    return [one for one in found if isinstance(one, Dialogue)]


def chat(*turns: tuple[str, ...], **ratings: Any) -> dict[str, Any]:
    """A conversation from (sender, message, message ...) turns."""
    messages = [[{"sender": t[0], "text": m, "timestamp": ""} for m in t[1:]] for t in turns]
    return {"messages": messages, **({"ratings": ratings} if ratings else {})}


FOUR = (("x", "hi", " there"), ("y", "yo"), ("x", ""), ("y", "bye ", "bye"))
FIVES = {"witty": 5, "interesting": 5, "upbeat": 5}


def file_of(folder: Path, *chats: Any) -> Path:
    path = folder / "chats.json"
    path.write_text(json.dumps({f"id{i}": one for i, one in enumerate(chats)}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((1, 1, 1), 1.0),
        ((10, 10, 10), 5.0),
        ((5, 5, 6), 1 + 13 / 3 * 4 / 9),
        ((1, 10, 1), 1 + 4 / 3),
    ],
)
def test_overall_maps_1_to_10_onto_1_to_5(scores: tuple[int, ...], expected: float) -> None:
    assert overall(scores) == pytest.approx(expected, abs=1e-12)


def test_a_conversation_is_read(tmp_path: Path) -> None:
    path = file_of(tmp_path, chat(*FOUR), chat(*FOUR, witty="9", int=8, upbeat="10"))
    (one,) = read(path)
    assert [(t.speaker, t.text) for t in one.turns] == [
        ("A", "hi  there"), ("B", "yo"), ("A", ""), ("B", "bye  bye"),
    ]  # fmt: skip
    assert (one.source, one.source_line) == ("chitchat-dataset/chats.json", 2)
    (rating,) = one.ratings
    assert (rating.attribute, rating.rater, rating.source_line) == ("overall", "self", 2)
    assert rating.score == pytest.approx(1 + (9 - 1) * 4 / 9, abs=1e-12)


def test_consecutive_blocks_of_a_sender_are_one_turn(tmp_path: Path) -> None:
    turns = (("x", "a"), ("x", "b"), ("y", "c"), ("x", "d"), ("y", "e"))
    (one,) = read(file_of(tmp_path, chat(*turns, **FIVES)))
    assert [t.text for t in one.turns] == ["a b", "c", "d", "e"]
    assert read(file_of(tmp_path, chat(*turns, **FIVES)), minimum_turns=5) == []


def test_what_is_left_out(tmp_path: Path) -> None:
    partly = chat(*FOUR, witty=5, upbeat=5)
    path = file_of(tmp_path, chat(*FOUR), partly, chat(*FOUR[:3], **FIVES), chat(*FOUR, **FIVES))
    assert [one.source_line for one in read(path)] == [4]
    assert read(path, keep_default=False) == []
    assert [one.source_line for one in read(path, minimum_turns=3)] == [3, 4]


@pytest.mark.parametrize("bad", [0, 11, "0", "five", "", 5.0, True, None, "\u0665"])
def test_a_rating_off_the_scale_is_named(tmp_path: Path, bad: Any) -> None:
    path = file_of(tmp_path, chat(*FOUR, **FIVES), chat(*FOUR, **{**FIVES, "upbeat": bad}))
    with pytest.raises(RetrialError, match=r"conversation 2 \(id1\), rating 'upbeat': .*expected"):
        read(path)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"messages": [], "ratings": 3},
        {"ratings": FIVES},
        *(
            {"messages": messages, "ratings": FIVES}
            for messages in (
                None,
                7,
                [{"text": "x"}],
                [[{"sender": ["x"], "text": "x"}]],
                [[{"sender": "x", "text": None}]],
                [["x"]],
            )
        ),
    ],
)
def test_a_damaged_conversation_is_named(tmp_path: Path, value: Any) -> None:
    with pytest.raises(RetrialError, match=r"conversation 1 \(id0\): expected"):
        read(file_of(tmp_path, value))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "chats.json"
    with pytest.raises(RetrialError, match=r"chats\.json: can't be read"):
        read(path)
    for text, message in (("{", "is not JSON"), ("[]", "expected an object")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RetrialError, match=rf"chats\.json: {message}"):
            read(path)
    with pytest.raises(RetrialError, match="2 files"):
        read(path, path)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"limits": 3}, "unknown option 'limits'"), ({"limit": "3"}, "must be of type int"),
     ({"keep_default": 1}, "must be of type bool"), ({"limit": 2}, "give 1 to 1"),
     ({"limit": 0}, "give 1 to 1")],
)  # fmt: skip
def test_bad_options_are_named(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RetrialError, match=message):
        read(file_of(tmp_path, chat(*FOUR, **FIVES)), **options)


def test_a_draw_is_seeded_and_keeps_the_files_order(tmp_path: Path) -> None:
    chats = [chat(("x", str(i)), *FOUR[1:], **FIVES) for i in range(40)]
    path, reversed_path = file_of(tmp_path, *chats), tmp_path / "reversed.json"
    reversed_path.write_text(json.dumps({str(i): c for i, c in enumerate(chats[::-1])}))
    drawn = read(path, limit=10, seed=2)
    assert [d.source_line for d in drawn] == sorted(d.source_line for d in drawn)
    assert set(item_ids(drawn)) == set(item_ids(read(reversed_path, limit=10, seed=2)))
    assert set(item_ids(drawn)) != set(item_ids(read(path, limit=10, seed=3)))
    assert len(drawn) == 10


def test_the_package_is_read_without_being_run() -> None:
    sys.modules.pop("chitchat_dataset", None)
    dialogues = read()
    assert "chitchat_dataset" not in sys.modules
    assert len(dialogues) == len(set(item_ids(dialogues))) == 3034
    assert {len(d.ratings) for d in dialogues} == {1}
    assert all(1 <= d.ratings[0].score <= 5 for d in dialogues)
    assert {t.speaker for d in dialogues for t in d.turns} == {"A", "B"}
    assert all(
        before.speaker != after.speaker
        for d in dialogues
        for before, after in zip(d.turns, d.turns[1:], strict=False)
    )
    default = overall([5, 5, 5])
    assert (
        sum(d.ratings[0].score == default for d in dialogues) > 937
    )  # sums of 15 other than 5+5+5
    assert len(read(keep_default=False)) == 3034 - 937


@pytest.mark.parametrize(("most", "kept"), [(4, 0), (5, 1)])
def test_longer_conversations_can_be_left_out(tmp_path: Path, most: int, kept: int) -> None:
    assert len(read(file_of(tmp_path, chat(*FOUR, **FIVES)), maximum_words=most)) == kept
