"""The turns, the groups and the ratings of one row, checked field by field.

Each function adds a fault for whatever is wrong and goes on with the rest; what it returns is
used only where there was no fault.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from retrial.items.base import HumanRating, Turn
from retrial.items.own import values
from retrial.items.own.faults import Place
from retrial.items.own.options import OwnOptions
from retrial.items.own.row import Row

ATTRIBUTE = "overall"
PARTS = ("train", "test")
TURN = ("speaker", "text")


def part(row: Row) -> str | None:
    """The part that the row's `split` names, if it names one; "" where it names another."""
    found = row.fields.get("split")
    if found is None or found in PARTS:
        return found
    row.place.add("split", f"is {values.shown(found)}; expected train or test")
    return ""


def turns(row: Row) -> tuple[Turn, ...]:
    """The turns in order."""
    found = row.fields.get("turns")
    if not isinstance(found, list):
        what = "is missing" if found is None else f"is {values.shown(found)}; expected a list"
        row.place.add("turns", what)
        return ()
    if not found:
        row.place.add("turns", "is an empty list; a dialogue has one turn or more")
    return tuple(_turn(*row.turn_place(number), turn) for number, turn in enumerate(found))


def _turn(place: Place, prefix: str, turn: Any) -> Turn:
    if not isinstance(turn, dict):
        what = f"is {values.shown(turn)}; expected an object of speaker and text"
        place.add(prefix.removesuffix("."), what)
        return Turn("", "")
    for key in turn.keys() - set(TURN):
        place.add(f"{prefix}{key}", "is not a part of a turn; expected speaker and text")
    speaker, text = (
        place.attempt(f"{prefix}{key}", partial(values.text, turn.get(key))) for key in TURN
    )
    return Turn(speaker or "", text or "")


def strata(row: Row, wanted: OwnOptions) -> dict[str, str]:
    """Who rated, and the groups that the dialogue belongs to, without the empty ones."""
    found = {}
    for key in ("ratings_by", *wanted.strata_columns):
        value = row.fields.get(key)
        if value is not None and value != "":
            found[key] = row.place.attempt(key, partial(values.name, value)) or ""
    return found


def ratings(row: Row, wanted: OwnOptions) -> Iterator[HumanRating]:
    """One rating for each rater who gave one, on the scale from 1 to 5."""
    seen = set()
    for key, rater, value in _given(row, wanted):
        if rater in seen:
            row.place.add(key, "the rater stands in `ratings` and in a column of the same name")
        seen.add(rater)
        if value is None:
            continue
        score = row.place.attempt(key, partial(values.number, value, wanted.scale))
        if score is not None:
            yield HumanRating(
                ATTRIBUTE,
                rater,
                wanted.scale.mapped(score),
                row.place.number,
                reason=wanted.scale.reason(score),
            )


def _given(row: Row, wanted: OwnOptions) -> Iterator[tuple[str, str, Any]]:
    """Key, rater and value of each rating; raters of a list are positions from 1."""
    found = row.fields.get("ratings")
    if isinstance(found, list):
        for place, value in enumerate(found):
            yield f"ratings[{place}]", str(place + 1), value
    elif isinstance(found, dict):
        for name, value in found.items():
            rater = row.place.attempt("ratings, the name of a rater", partial(values.text, name))
            yield f"ratings.{name}", rater or "", value
    elif found is not None:
        what = f"is {values.shown(found)}; expected an object of rater and number, or a list"
        row.place.add("ratings", what)
    for name in wanted.rating_columns:
        yield name, name, row.fields.get(name)
