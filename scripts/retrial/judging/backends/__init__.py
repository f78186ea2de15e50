"""Backends: how a judge is asked. One module each; only the configured one is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from retrial.judging.backends.base import Backend
    from retrial.judging.model_files import ModelFiles


def open_backend(
    spec: Mapping[str, Any],
    files: ModelFiles | None,
    threads: int,
    adapter: Path | None = None,
    conditions: Mapping[str, Mapping[str, Any]] | None = None,
) -> Backend:
    """The backend of a judge's configuration.

    `files` is None for a judge behind a server. `adapter` is a folder that peft wrote.
    `conditions` says how each condition is asked (`{condition: {"method", "sampling"}}`);
    without it, all are asked by logits.
    """
    module = import_module(f"{__name__}.{str(spec['backend']).replace('-', '_')}")
    opened: Backend = module.open_backend(spec, files, threads, adapter, conditions)
    return opened
