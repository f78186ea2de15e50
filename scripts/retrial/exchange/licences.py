"""Which sources the texts of a results folder come from, and whether they may be passed on."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrial.audit.sidecars import CHECKOUT
from retrial.record import ITEMS, read
from retrial.sources.catalogue import Source, load_sources

ALLOWING = re.compile(r"^(?:Apache-2\.0|MIT|BSD-[23]-Clause|ISC|CC0-1\.0|CC-BY(?:-SA)?-[0-9.]+)\b")
"""Licences that allow redistribution, by their SPDX ids."""


@dataclass(frozen=True)
class Terms:
    """What is known of a source's licence. `free` says that it clearly allows redistribution."""

    source: str
    licence: str
    free: bool


def load_catalogue(data: Path) -> Mapping[str, Source]:
    """The sources of `<data>/sources.yaml`; empty where there is no such file."""
    path = data / "sources.yaml"
    return load_sources(path).sources if path.is_file() else {}


def data_folder() -> Path:
    """The project's `data` folder: of the working folder, or of the checkout."""
    here = Path("data")
    return here if (here / "sources.yaml").is_file() else CHECKOUT / "data"


def terms(source: str, catalogue: Mapping[str, Source]) -> Terms:
    """The terms of one source. A remark behind the licence ("the stories are ...") limits it."""
    known = catalogue.get(source)
    if known is None:
        return Terms(source, "not in data/sources.yaml", False)
    found = ALLOWING.match(known.licence)
    return Terms(source, known.licence, bool(found and found.group() == known.licence.strip()))


def dataset_sources(root: Path) -> dict[str, set[str]]:
    """The sources of each dataset's items, by the id of the dataset."""
    found: dict[str, set[str]] = {}
    for path in sorted((root / "items").glob("*.parquet")):
        column = read(path, ITEMS, ["source"])["source"]
        found[path.stem] = {str(source).split("/")[0] for source in column.unique().to_pylist()}
    return found


def restricted(sources: Iterable[str], catalogue: Mapping[str, Source]) -> list[Terms]:
    """The terms of those sources that do not clearly allow redistribution, by id."""
    known = (terms(source, catalogue) for source in sorted(set(sources)))
    return [found for found in known if not found.free]
