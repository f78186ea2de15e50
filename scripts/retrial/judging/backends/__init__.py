"""Backends: how a judge is asked. One module each; only the configured one is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrial.judging.backends.base import Backend
    from retrial.judging.model_files import ModelFiles


def open_backend(spec: Mapping[str, Any], files: ModelFiles, threads: int) -> Backend:
    """The backend of a judge's configuration."""
    name = str(spec["backend"]).replace("-", "_")
    opened: Backend = import_module(f"{__name__}.{name}").open_backend(spec, files, threads)
    return opened
