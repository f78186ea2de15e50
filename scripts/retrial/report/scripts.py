"""Data as script files that add themselves to the page: they load from disk without a server.

Every value becomes JSON in which no character can end a script or start markup, so a dialogue
that contains `</script>` stays a dialogue.
"""

import json
from collections.abc import Sequence
from typing import Any

_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"}
FEW = 0.5
"""A column with fewer distinct texts than this share of its rows is written as a dictionary."""


def script_json(value: Any) -> str:
    """The value as JSON that may stand in a script. Raises ValueError for NaN and infinities."""
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.translate(_UNSAFE)


def script_file(key: str, value: Any) -> bytes:
    """A script file that adds `value` to the page under `key`."""
    return f"retrial.add({script_json(key)},{script_json(value)});\n".encode()


def pack(values: Sequence[Any]) -> dict[str, Any]:
    """A column in a compact form: `c` one value for all rows, `d` and `i` a dictionary of texts
    and places in it, or `v` the values themselves.
    """  # fmt: skip
    distinct = dict.fromkeys(values)
    if len(distinct) == 1:
        return {"c": values[0]}
    if len(distinct) <= FEW * len(values) and all(v is None or isinstance(v, str) for v in values):
        places = {value: place for place, value in enumerate(distinct)}
        return {"d": list(distinct), "i": [places[value] for value in values]}
    return {"v": list(values)}
