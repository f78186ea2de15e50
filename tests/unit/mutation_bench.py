"""A results folder that is damaged and made whole again, and who uses which of its records.

Who uses a record is told by the folder as it was: from the filters that cells keep of their
selections, applied here with plain row loops, not with the code under test.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from retrial.audit.manifest import MANIFEST, write_manifest
from retrial.code_digest import ROOT, code_digest, code_files
from retrial.digest import sha256_file
from retrial.record import SUFFIX, Run, to_parquet

Record = dict[str, Any]


class Bench:
    """A copy of a results folder with its sources, under `folder/results`."""

    def __init__(self, original: Path, folder: Path, sources: Path | None = None) -> None:
        """`sources` holds data/raw and data/published, copied into the root."""
        self.root = folder / "results"
        shutil.copytree(original, self.root)
        if sources is not None:
            shutil.copytree(sources, self.root / "data", dirs_exist_ok=True)
        self.seal()
        self._saved: dict[Path, bytes | None] = {}
        assert self._made_from  # told by the whole folder, before anything is damaged

    # Files.

    def write(self, path: Path, data: bytes | None) -> None:
        """Write or (None) remove a file that `restore` brings back."""
        self._saved.setdefault(path, path.read_bytes() if path.is_file() else None)
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)

    def restore(self) -> None:
        """All files as they were."""
        for path, data in self._saved.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)
        self._saved.clear()

    def rows(self, place: str) -> list[Record]:
        """The rows of a Parquet file."""
        found: list[Record] = pq.read_table(self.root / place).to_pylist()
        return found

    def write_rows(self, place: str, rows: list[Record]) -> None:
        """Write rows with the file's own schema: only content changes."""
        schema = pq.read_schema(self.root / place)
        table = pa.Table.from_pylist(rows, schema=schema)
        self.write(self.root / place, to_parquet(table))

    def sidecar(self, place: str) -> Record:
        """A sidecar's content."""
        found: Record = json.loads((self.root / f"{place}{SUFFIX}").read_text("utf-8"))
        return found

    def write_sidecar(self, place: str, content: Record) -> None:
        """A sidecar with other content."""
        text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        self.write(self.root / f"{place}{SUFFIX}", text.encode())

    def seal(self) -> None:
        """A manifest of the folder as it is."""
        script = ROOT / "write_manifest.py"
        code = {name: sha256_file(path) for name, path in code_files(script).items()}
        run = Run("write_manifest", self.root, code=code, code_digest=code_digest(script))
        write_manifest(self.root, run)

    def forge(self, place: str) -> None:
        """Make every digest agree with a changed file: its sidecar, later ones, the manifest."""
        now = sha256((self.root / place).read_bytes()).hexdigest()
        for other in self.places:
            content = self.sidecar(other)
            changed = other == place and content["output"]["sha256"] != now
            if other == place:
                content["output"]["sha256"] = now
            for known in content["inputs"]:
                changed |= known["path"] == place and known["sha256"] != now
                known["sha256"] = now if known["path"] == place else known["sha256"]
            if changed:
                self.write_sidecar(other, content)
        self.forge_manifest()

    def forge_manifest(self) -> None:
        """A manifest that agrees with the folder."""
        for name in (MANIFEST, MANIFEST + SUFFIX):
            self.write(self.root / name, (self.root / name).read_bytes())
        self.seal()

    # What there is.

    @cached_property
    def _made_from(self) -> dict[str, set[str]]:
        """The outputs that each file went into, by the sidecars of the whole folder."""
        found: dict[str, set[str]] = defaultdict(set)
        for place in self.places:
            for known in self.sidecar(place)["inputs"]:
                found[known["path"]].add(place)
                found[Path(known["path"]).name].add(place)
        return found

    def made_from(self, place: str) -> set[str]:
        """A file (or the name of a source) and all outputs made from it, at any remove."""
        waiting, reached = [place], {place}
        while waiting:
            new = self._made_from[waiting.pop()] - reached
            reached |= new
            waiting += new
        return reached

    @cached_property
    def places(self) -> list[str]:
        """Outputs that have a sidecar, the manifest aside."""
        found = sorted(p.relative_to(self.root).as_posix() for p in self.root.rglob(f"*{SUFFIX}"))
        return [p.removesuffix(SUFFIX) for p in found if not p.startswith((MANIFEST, "data/"))]

    def tables_of(self, *folders: str) -> list[str]:
        """Parquet files below some folders."""
        starts = tuple(f"{folder}/" for folder in folders)
        return [p for p in self.places if p.endswith(".parquet") and p.startswith(starts)]


class Uses:
    """Which cells of a whole folder use which records."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.cells = [c for t in bench.tables_of("tables") for c in bench.rows(t)]
        self._rows: dict[str, list[Record]] = {}
        self._selected: dict[tuple[str, str], frozenset[int]] = {}
        self.by_row: dict[tuple[str, int], set[str]] = defaultdict(set)
        self.by_file: dict[str, set[str]] = defaultdict(set)
        self.within: dict[str, set[str]] = defaultdict(set)
        """The cells that keep to the items that a file rates, whatever its ratings are."""
        self.partial: set[str] = set()
        """The cells that use only a part of what their filter says, such as one story's ratings."""
        for cell in self.cells:
            self._note(cell)
        self._note_derived()

    def rows(self, place: str) -> list[Record]:
        """Rows of a file, read once."""
        if place not in self._rows:
            self._rows[place] = self.bench.rows(place)
        return self._rows[place]

    @cached_property
    def quoting_one(self) -> set[str]:
        """The cells that quote one answer: its chain is followed, the rest by digest only."""
        return {name_of(cell) for cell in self.cells if cell["table"].endswith("parse-examples")}

    @cached_property
    def inferred(self) -> set[str]:
        """The cells that rest on links, which all answers together gave."""
        return {name_of(cell) for cell in self.cells if cell["inferred"]}

    @cached_property
    def names(self) -> set[str]:
        """Every cell."""
        return {name_of(cell) for cell in self.cells}

    def rating_rows(self, file: str, wanted: dict[str, Any]) -> set[str]:
        """The cells that use ratings of a file with these values."""
        found: set[str] = set()
        for number, row in enumerate(self.rows(file)):
            if all(row[name] == value for name, value in wanted.items()):
                found |= self.by_row[file, number]
        return found

    def ratings_files(self) -> list[str]:
        """Every file of ratings."""
        return self.bench.tables_of("ratings")

    def of_item(self, item_id: str) -> set[str]:
        """The cells that use ratings of an item, or quote it."""
        found = [self.rating_rows(file, {"item_id": item_id}) for file in self.ratings_files()]
        return set().union(*found) | self.quoting(item_id)

    def quoting(self, item_id: str) -> set[str]:
        """The cells whose text is one of an item."""
        items = [i for f in self.bench.tables_of("items") for i in self.rows(f)]
        texts = {t for i in items if i["item_id"] == item_id for t in (i["text"], i["context"])}
        texts.discard(None)
        return {name_of(c) for c in self.cells if c["value_text"] in texts and not c["selections"]}

    def of_requests(self, requests: set[str]) -> set[str]:
        """The cells that use ratings taken from these answers."""
        found: set[str] = set()
        for file in self.ratings_files():
            for request in requests:
                found |= self.rating_rows(file, {"request_id": request})
        return found

    def of_prompt(self, prompt_id: str) -> set[str]:
        """The cells that use answers to a prompt."""
        answers = (a for f in self.bench.tables_of("answers") for a in self.rows(f))
        return self.of_requests({a["request_id"] for a in answers if a["prompt_id"] == prompt_id})

    def shown_as_example(self, item_id: str) -> set[str]:
        """The cells whose prompts show an item as an example."""
        prompts = (p for f in self.bench.tables_of("prompts") for p in self.rows(f))
        shown = (p for p in prompts if any(e["item_id"] == item_id for e in p["examples"]))
        return set().union(*(self.of_prompt(p["prompt_id"]) for p in shown))

    def of_table(self, table: str) -> set[str]:
        """The cells of a table."""
        return {name_of(cell) for cell in self.cells if cell["table"] == table}

    def _note(self, cell: Record) -> None:
        for selection in cell["selections"]:
            file, wanted = selection["file"], json.loads(selection["filter"])
            self.by_file[file].add(name_of(cell))
            used = self._of(file, selection["filter"])
            if sum(self.rows(file)[n]["score"] is not None for n in used) != selection["n"]:
                self.partial.add(name_of(cell))
            if "items_of" in wanted:
                self.within[wanted["items_of"]["file"]].add(name_of(cell))
            for number in used:
                self.by_row[file, number].add(name_of(cell))

    def _note_derived(self) -> None:
        """A derived cell uses what its inputs use."""
        by_input: dict[str, set[str]] = defaultdict(set)
        for cell in self.cells:
            for name in cell["inputs"]:
                by_input[name].add(name_of(cell))
        for used in (*self.by_row.values(), *self.by_file.values()):
            used |= set().union(*(by_input[name] for name in set(used) if name in by_input))

    def _of(self, file: str, written: str) -> frozenset[int]:
        key = (file, written)
        if key not in self._selected:
            self._selected[key] = frozenset(self._filtered(file, json.loads(written)))
        return self._selected[key]

    def _filtered(self, file: str, wanted: Record) -> Iterator[int]:
        rows = self.rows(file)
        kept = self._kept_items(rows, wanted)
        asked = wanted.get("items_of")
        if asked:
            numbers = self._filtered(asked["file"], {k: v for k, v in asked.items() if k != "file"})
            other = self.rows(asked["file"])
            kept = kept & {other[number]["item_id"] for number in numbers}
        for number, row in enumerate(rows):
            right = all(row[name] == value for name, value in wanted["where"].items())
            if right and row["item_id"] in kept:
                yield number

    def _kept_items(self, rows: list[Record], wanted: Record) -> set[str]:
        every = {row["item_id"] for row in rows}
        if "split" not in wanted and "strata" not in wanted:
            return every
        items = [i for f in self.bench.tables_of("items") for i in self.rows(f)]
        return every & {
            item["item_id"]
            for item in items
            if wanted.get("split") in (None, item["split"])
            and wanted.get("strata", {}).items() <= dict(item["strata"]).items()
        }


def name_of(cell: Record) -> str:
    """How a cell is named on the command line."""
    return f"{cell['table']}[{cell['row']}].{cell['column']}"
