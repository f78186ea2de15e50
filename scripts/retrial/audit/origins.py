"""Where items, ratings and recorded answers stand in the sources, and whether they still do."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.audit.digests import NOT_HERE
from retrial.audit.sidecars import CHECKOUT, Sidecar, digest, load_sidecar, locate
from retrial.audit.states import Link
from retrial.digest import canonical_json
from retrial.errors import RetrialError
from retrial.record import Contract, read, sidecar_path

Rows = Mapping[Any, Mapping[str, Any]]
HUMAN_KEY = ("item_id", "attribute", "rater")


@dataclass
class Origins:
    """The sources of one results folder, each read again once and by record."""

    root: Path
    _read: dict[str, Any] = field(default_factory=dict)

    def table(self, file: str, contract: Contract) -> pa.Table:
        """A results file, read once; its keys are not checked. Raises ContractError."""
        key = f"table {file}"
        if key not in self._read:
            every = [field.name for field in contract.fields]
            self._read[key] = read(self.root / file, contract, every)
        return self._read[key]

    def sidecar(self, place: str) -> Sidecar | None:
        """The sidecar of a results file, if it is there and whole."""
        path = sidecar_path(self.root / place)
        if not path.is_file():
            return None
        found = load_sidecar(self.root, path)
        return None if found.fault else found

    def item_link(self, items_file: str, item: Mapping[str, Any]) -> Link:
        """Whether the sources still give this item."""
        what = f"item {item['item_id']} in {item['source']} line {item['source_line']}"
        return self._link(items_file, what, 0, item["item_id"], item)

    def human_link(self, items_file: str, rating: Mapping[str, Any]) -> Link:
        """Whether the sources still give this person's rating."""
        key = tuple(rating[name] for name in HUMAN_KEY)
        what = f"rating of {key[0]} by {key[2]} in {rating['source']} line {rating['source_line']}"
        return self._link(items_file, what, 1, key, rating)

    def _link(
        self, items_file: str, what: str, part: int, key: Any, record: Mapping[str, Any]
    ) -> Link:
        again = self._again(items_file)
        if isinstance(again, str):
            known = again == NOT_HERE
            state = "RECORDED" if known else "MISMATCH"
            return Link(items_file, what, state, again, checked=not known)  # type: ignore[arg-type]
        found = again[part].get(key)
        if found is None:
            return Link(items_file, what, "MISMATCH", "the source gives no such record any more")
        other = [n for n in record if n in found and record[n] != found[n]]
        if other:
            detail = f"the source gives {other[0]} {found[other[0]]!r}, not {record[other[0]]!r}"
            return Link(items_file, what, "MISMATCH", detail)
        return Link(items_file, what, "VERIFIED", "read again")

    def _again(self, items_file: str) -> tuple[Rows, Rows] | str:
        if items_file not in self._read:
            try:
                self._read[items_file] = self._read_again(items_file)
            except Exception as error:
                self._read[items_file] = f"the source can't be read: {error}"
        found: tuple[Rows, Rows] | str = self._read[items_file]
        return found

    def _read_again(self, items_file: str) -> tuple[Rows, Rows] | str:
        sidecar = self.sidecar(items_file)
        if sidecar is None or sidecar.rule != "build_items":
            return "no sidecar says how these items were read"
        paths = [locate(self.root, path) for path in sidecar.inputs]
        here = [path for path in paths if path is not None]
        if len(here) < len(paths):
            return NOT_HERE
        job = sidecar.parameters
        seen = tuple((path, digest(path)) for path in here)
        return _built(job["dataset"], canonical_json(job["spec"]), seen)

    def recorded_link(
        self, sidecar: Sidecar, item: Mapping[str, Any], prompt: Mapping[str, Any],
        answer: Mapping[str, Any],
    ) -> Link:  # fmt: skip
        """Whether the released file still holds this recorded answer, and where it stands."""
        try:
            name, place = _pointer(sidecar, item, prompt, answer)
            found = self._released(sidecar, name)
        except (RetrialError, KeyError, ValueError) as error:
            return Link(sidecar.place, "recorded answer", "MISMATCH", str(error))
        what = f"answer at {place} of {name}"
        if found is None:
            return Link(sidecar.place, what, "RECORDED", NOT_HERE, checked=False)
        for step in place.strip("/").split("/"):
            found = found[step] if isinstance(found, dict) else found[int(step)]
        if found != answer["text"]:
            return Link(sidecar.place, what, "MISMATCH", f"the file holds {found[:80]!r}")
        return Link(sidecar.place, what, "VERIFIED", "read again")

    def _released(self, sidecar: Sidecar, name: str) -> Any:
        """The content of a released file, or None when it is not here."""
        from retrial.items.chiang2023 import load_json

        key = f"{sidecar.place} {name}"
        if key not in self._read:
            path = next((p for p in sidecar.inputs if Path(p).name == name), "")
            here = locate(self.root, path) if path else None
            self._read[key] = load_json(here) if here else None
        return self._read[key]

    def file_facts(self, source: str) -> dict[str, Any]:
        """Digest and licence of a source file, named as <source>/<file>."""
        source_id, _, _ = source.partition("/")
        path = locate(self.root, f"data/raw/{source}")
        facts = {"licence": self._licence(source_id)}
        return {**facts, **({"sha256": digest(path)} if path else {})}

    def _licence(self, source_id: str) -> str:
        path = locate(self.root, "data/sources.yaml") or CHECKOUT / "data/sources.yaml"
        known = _licences(path, path.stat().st_mtime_ns) if path.is_file() else {}
        return known.get(source_id, "not in the catalogue of sources")


@cache
def _built(dataset: str, spec: str, files: tuple[tuple[Path, str], ...]) -> tuple[Rows, Rows]:
    """A dataset read again, by record; kept, since all cells of a table rest on few datasets."""
    from retrial.config import Dataset
    from retrial.items.build import build_items

    wanted = Dataset.model_validate({"label": "", **json.loads(spec)})
    items, human = build_items(dataset, wanted, [path for path, _ in files])
    return (
        {row["item_id"]: row for row in items.to_pylist()},
        {tuple(row[name] for name in HUMAN_KEY): row for row in human.to_pylist()},
    )


@cache
def _licences(path: Path, changed: int) -> dict[str, str]:
    from retrial.sources.catalogue import load_sources

    return {source: found.licence for source, found in load_sources(path).sources.items()}


def _pointer(
    sidecar: Sidecar, item: Mapping[str, Any], prompt: Mapping[str, Any], answer: Mapping[str, Any]
) -> tuple[str, str]:
    """File and JSON pointer of a recorded answer."""
    from retrial.judging.recordings.chiang2023 import pointer

    files = sidecar.parameters["spec"]["files"]
    name = next(f["file"] for f in files if f["condition"] == prompt["condition"])
    strata = dict(item["strata"])
    place = pointer(
        strata["writer"], prompt["attribute"], int(strata["position"]), answer["sample"]
    )
    return name, place
