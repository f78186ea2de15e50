"""The id of a request: a digest of everything that is asked, and of nothing that comes back."""

from collections.abc import Mapping
from typing import Any

from retrial.digest import content_id

ASKING_VERSION = 1
"""Raised when the asking code changes what the same request returns."""


def request_id(
    *,
    text: str,
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
    """32 hexadecimal digits. `text` is the rendered prompt, chat markup included.

    `sampling` holds temperature, top-p, stop, length limit and seed for generated answers.
    """
    return content_id({**locals(), "asking_version": ASKING_VERSION})
