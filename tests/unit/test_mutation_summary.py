"""The line of counts: what could not be looked at is never counted as checked."""

from retrial.audit.states import Link, count_states, summary

LINKS = [
    Link("a", "output", "RECORDED"),
    Link("a", "cells", "VERIFIED"),
    Link("a", "input data/raw/x", "RECORDED", "not here", checked=False),
    Link("b", "output", "MISMATCH"),
]


def test_unchecked_links_are_counted_apart() -> None:
    assert count_states(LINKS) == {
        "VERIFIED": 1, "RECORDED": 1, "MISMATCH": 1, "not checked": 1,
    }  # fmt: skip
    line = summary(LINKS)
    assert line == "4 links: 1 VERIFIED, 1 RECORDED, 1 MISMATCH, 1 not checked; 1 broken"


def test_no_link_is_said_as_such() -> None:
    assert summary([]) == "0 links: none; 0 broken"
