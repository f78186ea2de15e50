"""A training's state on disk: one file, replaced as a whole, so that a kill costs some steps."""

import logging
import os
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch

from retrial.errors import RetrialError
from retrial.record.files import put_in_place

UNREADABLE = (RuntimeError, pickle.UnpicklingError, KeyError, TypeError, ValueError, EOFError)

log = logging.getLogger("retrial")


@dataclass
class Progress:
    """How far a training is: steps done, rows of its log, and what the next row sums up."""

    step: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    loss: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


def save(path: Path, model: Any, optimiser: Any, progress: Progress) -> None:
    """Writes the whole state beside `path` and renames it into place.

    It is written as a stream, for the weights of a whole model and its optimiser take gigabytes.
    Raises RetrialError where it can't be written; the earlier state is then as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    state = {
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
        "progress": dict(vars(progress)),
    }
    try:
        with part.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
    except (OSError, RuntimeError) as error:  # torch reports a full disk as the latter
        part.unlink(missing_ok=True)
        raise RetrialError(
            f"{path}: the checkpoint can't be written ({error}); make room and run again: training "
            "goes on from the checkpoint before it"
        ) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    put_in_place(part, path)
    for left in path.parent.glob(f".{path.name}.*.part"):  # of processes that were killed
        left.unlink(missing_ok=True)


class DamagedError(Exception):
    """A checkpoint that can't be read; model and optimiser may hold parts of it."""


def resume(path: Path, model: Any, optimiser: Any) -> Progress:
    """Puts the saved state into model and optimiser; a fresh start when there is none.

    Raises DamagedError, after setting the file aside, when it can't be read.
    """
    if not path.is_file():
        return Progress()
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        progress = Progress(**state["progress"])
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
    except UNREADABLE as error:
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        log.warning("%s is not readable (%s): training starts anew", aside, type(error).__name__)
        raise DamagedError(str(aside)) from error
    log.info("going on at step %d, from %s", progress.step, path)
    return progress
