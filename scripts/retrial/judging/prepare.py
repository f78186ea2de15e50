"""Preparing a judge's or encoder's model ahead of the jobs that load it."""

from collections.abc import Mapping
from pathlib import Path

from retrial.judging.hub import prepare_hub
from retrial.judging.model_files import ModelFiles
from retrial.judging.packaged import prepare_packaged


def prepare_model(source: Mapping[str, str], cache: Path) -> ModelFiles:
    """The model of a configured source: `package`, or `model` and `revision` on the hub."""
    if "package" in source:
        return prepare_packaged(source["package"], cache)
    return prepare_hub(source["model"], source["revision"])
