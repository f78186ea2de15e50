"""Content addresses: one canonical form of a value, and digests of values and files."""

import hashlib
import json
from pathlib import Path
from typing import Any

ID_LENGTH = 32
"""Hexadecimal digits of an id: 128 bits, so that ids never meet by chance."""


def canonical_json(value: Any) -> str:
    """One JSON text per value: sorted keys, no blanks, text verbatim, never NaN.

    Raises ValueError for NaN and infinities, TypeError for what JSON can't hold.
    """
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def sha256_text(text: str) -> str:
    """The full sha256 of a text's UTF-8 bytes (lone surrogates are kept, not refused)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def content_id(value: Any) -> str:
    """The id of a value: the first 128 bits of the sha256 of its canonical JSON."""
    return sha256_text(canonical_json(value))[:ID_LENGTH]


def sha256_file(path: Path) -> str:
    """The full sha256 of a file's bytes, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
