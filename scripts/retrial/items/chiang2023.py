"""What chiang2023's released JSON files have in common: names, and careful loading."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retrial.errors import RetrialError

STUDY = "chiang2023"
HUMAN_WRITTEN, GPT2 = "human-written", "gpt2"
ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
REMEDY = "download the source again, or name another file in config.yaml"


def load_json(path: Path) -> Any:
    """The file's JSON value. Raises RetrialError when it is missing, damaged, or repeats a key.

    A repeated key is refused because JSON readers otherwise keep the last and drop the rest.
    """
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=lambda p: _unique(path, p))
    except FileNotFoundError as error:
        raise RetrialError(f"{path}: no such file; {REMEDY}") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RetrialError(f"{path}: {where}: not JSON: {error.msg}; {REMEDY}") from error
    except (UnicodeDecodeError, OSError) as error:
        raise RetrialError(f"{path}: not readable as UTF-8 text: {error}; {REMEDY}") from error


def fault(path: Path, pointer: str, what: str) -> RetrialError:
    """An error that names the file and the place in it as a JSON pointer (RFC 6901)."""
    where = f"at {pointer}" if pointer else "at the top"
    return RetrialError(f"{path}: {where}: {what}; {REMEDY}")


def escape(key: str) -> str:
    """A key as one step of a JSON pointer (RFC 6901, section 3)."""
    return key.replace("~", "~0").replace("/", "~1")


def _unique(path: Path, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RetrialError(f"{path}: the key {key!r} stands twice in one object; {REMEDY}")
        found[key] = value
    return found
