"""Chit-Chat Challenge (Myers et al. 2020): human-human chats, from the pip package's own data file.

The file maps a conversation's id to its messages and, for most, to one set of ratings from 1 to
10: how witty, interesting and upbeat the chat was. It does not say which of the two gave them,
so there is one rater, "self", and no agreement can be computed. The form's default was 5, which
is over-full: in almost a third of the rated conversations of four turns or more all three are 5.

`overall` is the mean of the three, mapped linearly from 1-10 to 1-5: ``1 + (mean - 1) * 4 / 9``.
A turn is one sender's consecutive messages, joined by one space (a line break would look like a
new turn in a prompt), otherwise verbatim. Senders become A and B in the order in which they speak.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, HumanRating, Turn, item_ids
from retrial.items.split import shuffled

PACKAGE = "chitchat_dataset"
ASPECTS = ("witty", "interesting", "upbeat")
SPELLINGS = {"int": "interesting"}
ATTRIBUTE, RATER = "overall", "self"
LOWEST, HIGHEST, DEFAULT = 1, 10, 5
OPTIONS: dict[str, tuple[type, Any]] = {
    "minimum_turns": (int, 4),
    "maximum_words": (int, None),
    "keep_default": (bool, True),
    "limit": (int, None),
    "seed": (int, 1),
}
"""Type and default of each option."""


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[Dialogue]:
    """The conversations that have all three ratings and enough turns, in the file's order.

    Reads the installed package's file, or the one file in `paths`. Options: `minimum_turns`
    (default 4); `maximum_words` of a conversation (no limit); `keep_default` (true), whether to
    keep conversations whose three ratings are all 5; `limit`, to draw that many conversations
    at random, with `seed` (1).
    Raises RetrialError for a missing package, a damaged file, or a rating off 1-10.
    """
    wanted = _options(options)
    path = _path(paths)
    dialogues = []
    for ordinal, (key, value) in enumerate(_load(path).items(), start=1):
        where = f"{path}, conversation {ordinal} ({key})"
        scores = _scores(value, where)
        if scores is None or (not wanted["keep_default"] and set(scores) == {DEFAULT}):
            continue
        said = _said(value, where)
        if len(said) < wanted["minimum_turns"]:
            continue
        if wanted["maximum_words"] is not None and _words(said) > wanted["maximum_words"]:
            continue
        rating = HumanRating(ATTRIBUTE, RATER, overall(scores), ordinal)
        origin = f"{source}/{path.name}"
        turns = _turns(said, where)
        dialogues.append(Dialogue(turns, origin, ordinal, dict(strata), (rating,)))
    return _draw(dialogues, wanted["limit"], wanted["seed"])


def overall(scores: Sequence[int]) -> float:
    """The mean of ratings from 1 to 10, on the scale from 1 to 5."""
    return 1 + (sum(scores) - LOWEST * len(scores)) * 4 / ((HIGHEST - LOWEST) * len(scores))


def _words(said: Sequence[tuple[str, str]]) -> int:
    return sum(len(text.split()) for _, text in said)


def _draw(dialogues: list[Dialogue], limit: int | None, seed: int) -> list[Dialogue]:
    if limit is None:
        return dialogues
    if not 0 < limit <= len(dialogues):
        raise RetrialError(f"chitchat: option limit is {limit}; give 1 to {len(dialogues)}")
    ids = item_ids(dialogues)
    chosen = set(shuffled(ids, "limit", seed)[:limit])
    return [dialogue for dialogue, key in zip(dialogues, ids, strict=True) if key in chosen]


def _options(given: Mapping[str, str | int | float | bool]) -> dict[str, Any]:
    wanted = {name: default for name, (_, default) in OPTIONS.items()}
    for name, value in given.items():
        if name not in OPTIONS:
            raise RetrialError(f"chitchat: unknown option {name!r}; known: {', '.join(OPTIONS)}")
        if type(value) is not OPTIONS[name][0]:
            kind = OPTIONS[name][0].__name__
            raise RetrialError(f"chitchat: option {name} is {value!r}; it must be of type {kind}")
        wanted[name] = value
    return wanted


def _path(paths: Sequence[Path]) -> Path:
    if len(paths) > 1:
        raise RetrialError(f"chitchat: {len(paths)} files are listed; it reads one, or none")
    if paths:
        return paths[0]
    spec = find_spec(PACKAGE)  # locates the package without running it
    if spec is None or not spec.submodule_search_locations:
        raise RetrialError("chitchat: the package is not installed: pip install chitchat-dataset")
    return Path(spec.submodule_search_locations[0]) / "dataset.json"


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise RetrialError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise RetrialError(f"{path}: is not JSON in UTF-8: {error}") from error
    if not isinstance(data, dict):
        raise RetrialError(f"{path}: expected an object of conversations by id")
    return data


def _scores(conversation: Any, where: str) -> list[int] | None:
    """The three ratings, or None where the conversation lacks any."""
    if not isinstance(conversation, dict) or not isinstance(conversation.get("ratings", {}), dict):
        raise RetrialError(f"{where}: expected an object whose `ratings` is an object")
    given = {SPELLINGS.get(k, k): v for k, v in conversation.get("ratings", {}).items()}
    if not set(ASPECTS) <= set(given):
        return None
    return [_score(given[aspect], f"{where}, rating {aspect!r}") for aspect in ASPECTS]


def _score(value: Any, where: str) -> int:
    """A rating, which may be written as a number or as text."""
    if type(value) is int:
        score = value
    elif isinstance(value, str) and value.isascii() and value.isdigit():
        score = int(value)
    else:
        raise RetrialError(f"{where}: is {value!r}; expected a whole number")
    if not LOWEST <= score <= HIGHEST:
        raise RetrialError(f"{where}: is {score}; expected {LOWEST} to {HIGHEST}")
    return score


def _said(conversation: Mapping[str, Any], where: str) -> list[tuple[str, str]]:
    """Each sender's turns in order: consecutive messages joined by one space."""
    try:
        said = [(m["sender"], m["text"]) for block in conversation["messages"] for m in block]
        set(map(itemgetter(0), said))  # a sender that can't be a key raises TypeError
        return [
            (sender, " ".join(text for _, text in messages))
            for sender, messages in groupby(said, key=itemgetter(0))
        ]
    except (KeyError, TypeError) as error:
        raise RetrialError(
            f"{where}: expected `messages` to be a list of turns, each a list of "
            f"messages with `sender` and `text`, which is text ({error})"
        ) from error


def _turns(said: Sequence[tuple[str, str]], where: str) -> tuple[Turn, ...]:
    senders = list(dict.fromkeys(sender for sender, _ in said))
    if len(senders) > len(ascii_uppercase):
        raise RetrialError(f"{where}: has {len(senders)} senders; at most 26 can be named")
    names = dict(zip(senders, ascii_uppercase, strict=False))
    return tuple(Turn(names[sender], text) for sender, text in said)
