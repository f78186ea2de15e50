"""A tuning's state on disk: the last two states, each a file that is written as a whole.

A file's name holds its step and a digest of its bytes, so that a truncated or flipped one is
told and the state before it is taken. Schedule and random numbers are functions of the step:
nothing of them has to be kept.
"""

import logging
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from retrial.errors import RetrialError
from retrial.record import write_atomically

KEPT = 2
"""States kept: the last, and one to fall back to."""
DIGITS = 16

log = logging.getLogger("retrial")


@dataclass
class State:
    """How far a tuning is: steps done, rows of its log, and what the optimiser works on."""

    step: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    adapter: dict[str, Any] = field(default_factory=dict)
    optimiser: dict[str, Any] = field(default_factory=dict)


def save(folder: Path, request: str, state: State) -> None:
    """Writes the state beside the earlier ones, of which only the last stays.

    Raises RetrialError where it can't be written; the earlier states are then as they were.
    """
    buffer = BytesIO()
    torch.save({"request": request, **vars(state)}, buffer)
    data = buffer.getvalue()
    path = folder / f"step-{state.step:08d}-{sha256(data).hexdigest()[:DIGITS]}.pt"
    try:
        write_atomically(path, data)
    except OSError as error:
        raise RetrialError(
            f"{path}: the checkpoint can't be written ({error.strerror or error}); make room and "
            "run again: tuning goes on from the checkpoint before it"
        ) from error
    for old in _states(folder)[KEPT:]:
        old.unlink(missing_ok=True)
    for part in folder.glob(".step-*.part"):  # of processes that were killed
        part.unlink(missing_ok=True)


def load(folder: Path, request: str) -> State | None:
    """The last whole state of this request, or None where there is none."""
    for path in _states(folder):
        state = _read(path, request)
        if state is not None:
            log.info("going on at step %d, from %s", state.step, path)
            return state
    return None


def _states(folder: Path) -> list[Path]:
    """The files of states, the latest first."""
    return sorted(folder.glob("step-*.pt"), reverse=True)


def _read(path: Path, request: str) -> State | None:
    data = path.read_bytes()
    if path.stem.rsplit("-", 1)[-1] != sha256(data).hexdigest()[:DIGITS]:
        log.warning("%s is damaged; the checkpoint before it is taken, if there is one", path)
        return None
    found = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    if found.pop("request") != request:
        log.warning("%s is of another tuning; it is not used", path)
        return None
    return State(**found)
