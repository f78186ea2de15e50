"""Readers of the sources' own formats, one module each, imported only when asked for.

A reader module `<name>.py` defines ``read(paths, *, source, strata, options)``, which
returns records in the order of the source. `-` in a name is `_` in the module's.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from retrial.errors import RetrialError
from retrial.items.base import Record

Options = Mapping[str, str | int | float | bool]


class Reader(Protocol):
    """Reads files of one format. Malformed input is a RetrialError with file and line."""

    def __call__(
        self, paths: Sequence[Path], *, source: str, strata: Mapping[str, str], options: Options
    ) -> Sequence[Record]:
        """The records; `source` names the files' source, `strata` are given to every record."""
        ...


def reader_names() -> list[str]:
    """The names of all readers, sorted."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))


def get_reader(name: str) -> Reader:
    """The reader of that name; RetrialError with the nearest known name where there is none."""
    names = reader_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
        raise RetrialError(f"reader: there is no reader {name!r}; {hint}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return cast(Reader, module.read)
