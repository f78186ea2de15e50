"""The id of a request: a digest of everything that is asked, and of nothing that comes back.

What is asked is kept with the answer (the text, and the rest as canonical JSON), so that the
id can be recomputed and the exact prompt read long after the model is gone.
"""

from collections.abc import Mapping
from typing import Any

from retrial.digest import canonical_json, content_id

ASKING_VERSION = 1
"""Raised when the asking code changes what the same request returns."""


def asked_fields(
    *,
    method: str,
    ratings: tuple[str, ...],
    model: str,
    revision: str,
    files_digest: str,
    adapter_digest: str | None,
    backend: str,
    dtype: str,
    quantisation: str | None,
    sampling: Mapping[str, Any] | None,
    sample: int,
) -> str:
    """Everything that is asked but the text, as canonical JSON.

    `sampling` holds temperature, top-p, stop, length limit and seed for generated answers.
    """
    return canonical_json({**locals(), "asking_version": ASKING_VERSION})


def request_id(text: str | None, asked: str) -> str:
    """32 hexadecimal digits. `text` is the rendered prompt, chat markup included.

    It is None for recordings, whose prompts are only declared.
    """
    return content_id({"text": text, "asked": asked})
