"""Readers of prompts and people's stories, one module a source's format.

A module `<name>.py` defines ``read(paths, *, source, draw)``, which yields pairs in the order
of the source. `-` in a name is `_` in the module's.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast

from retrial.errors import RetrialError
from retrial.stories.pairs import Draw, Pair


class Reader(Protocol):
    """Reads files of one format. Malformed input is a RetrialError with file and line."""

    def __call__(self, paths: Sequence[Path], *, source: str, draw: Draw) -> Iterator[Pair]:
        """The drawn pairs; `source` names the files' source."""
        ...


def get_reader(name: str) -> Reader:
    """The reader of that name. Raises RetrialError with the known names where there is none."""
    names = sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))
    if name not in names:
        raise RetrialError(f"story set: there is no reader {name!r}; known: {', '.join(names)}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return cast(Reader, module.read)
