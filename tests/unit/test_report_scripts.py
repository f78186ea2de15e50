"""Text of dialogues goes into the report's scripts as data, whatever it says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.report.scripts import pack, script_file, script_json

HOSTILE = "</script><script>alert(1)</script><!-- & \N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"


def test_no_text_can_end_its_script() -> None:
    written = script_file("a</script>", {"text": HOSTILE}).decode()
    assert not set(written) & set("<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}")
    assert written.startswith("retrial.add(") and written.endswith(");\n")


@given(st.text())
def test_every_text_comes_back_as_it_was(text: str) -> None:
    written = script_json({"text": text})
    assert not set(written) & set("<>&")
    assert json.loads(written) == {"text": text}


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(float("nan"))


@given(st.lists(st.one_of(st.none(), st.text(max_size=2), st.integers()), min_size=1))
def test_a_packed_column_holds_its_values(values: list[str | int | None]) -> None:
    packed = pack(values)
    if "c" in packed:
        unpacked = [packed["c"]] * len(values)
    elif "d" in packed:
        unpacked = [packed["d"][place] for place in packed["i"]]
    else:
        unpacked = packed["v"]
    assert unpacked == values
