"""Both parsers on the 19,200 released answers of Chiang and Lee 2023."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrial.scoring.parsers import get

FILES = ("davinci", "davinci-explain", "davinci-persona", "curie")


def _answers(mirror: Path) -> Iterator[str]:
    """Every released answer: 2 writers x 4 attributes x 200 stories x 3 samples a file."""
    for name in FILES:
        path = mirror / "llm-evaluation" / f"{name}-temp-1-top_p-0.9.json"
        for writer in json.loads(path.read_text(encoding="utf-8")).values():
            for attribute in writer:
                for story in attribute:
                    yield from story


@pytest.mark.realdata
def test_the_published_rule_reads_all_but_four(mirror: Path) -> None:
    chiang = get("chiang2023")
    statuses = Counter(chiang(text).status for text in _answers(mirror))
    assert statuses == {"ok": 19_196, "no_number": 4}


@pytest.mark.realdata
def test_the_robust_parser_agrees_on_every_answer(mirror: Path) -> None:
    chiang, robust = get("chiang2023"), get("robust")
    differing = [text for text in set(_answers(mirror)) if robust(text).value != chiang(text).value]
    assert differing == []


@pytest.mark.realdata
def test_half_points_are_kept(mirror: Path) -> None:
    robust = get("robust")
    readings = {text: robust(text) for text in set(_answers(mirror))}
    values = [readings[text].value for text in _answers(mirror)]
    assert sum(value is not None and value % 1 == 0.5 for value in values) == 823
    assert not any("finer-than-half" in reading.flags for reading in readings.values())
