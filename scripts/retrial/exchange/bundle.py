"""One archive that carries a results folder to another machine, where `retrial verify` checks it.

A bundle holds tables, figures, ratings, items, prompts, answers, examples, links, embeddings, the
report and the manifest where there are such, every sidecar, the models' locks, the papers'
values, the prompt templates, the workflow, and an RO-Crate. It holds no weights, no downloads and
no answer store. Items, prompts and answers hold texts of the sources: those whose licence does
not clearly allow passing them on are named, and `withhold_texts` takes their texts out.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from retrial.audit.sidecars import Folder, digest, open_folder
from retrial.errors import RetrialError
from retrial.exchange.archive import pack
from retrial.exchange.contents import contents
from retrial.exchange.crate import CRATE, crate_text
from retrial.exchange.licences import (
    Terms,
    data_folder,
    dataset_sources,
    load_catalogue,
    restricted,
)
from retrial.exchange.seal import SEAL, Seal, Withheld
from retrial.exchange.withhold import (
    QUOTING,
    dataset_of,
    item_texts,
    quoting_tables,
    without_texts,
)
from retrial.record import SUFFIX
from retrial.record.files import write_atomically

WEIGHTS = "weights are not in a bundle"
TEXTS = "texts of sources whose licence does not clearly allow passing them on"


@dataclass(frozen=True)
class Bundle:
    """A written bundle: its path, digest and seal. The seal names sources with limited terms."""

    archive: Path
    sha256: str
    seal: Seal


def make_bundle(
    root: Path,
    archive: Path | None = None,
    *,
    withhold_texts: bool = False,
    data: Path | None = None,
    workflow: Path | None = None,
) -> Bundle:
    """Pack a results folder into `archive` (default: `<root>.zip` beside it).

    The same folder gives the same bytes. `data` and `workflow` are the project's data folder and
    checkout. Raises RetrialError when the root holds no record, the archive would lie inside it,
    or a member seems to hold a secret.
    """
    folder = open_folder(root)
    target = archive or root.resolve().with_name(f"{root.resolve().name}.zip")
    if target.resolve().is_relative_to(root.resolve()):
        raise RetrialError(f"{target}: lies in the folder that it would hold; write it elsewhere")
    if target.is_dir() or not target.parent.is_dir():
        raise RetrialError(f"{target}: no file can be written there; name a file in a folder")
    with tempfile.TemporaryDirectory(prefix="retrial-") as temporary:
        seal = _pack(folder, target, Path(temporary), withhold_texts, data, workflow)
    return Bundle(target, digest(target), seal)


def _pack(
    folder: Folder,
    target: Path,
    spare: Path,
    withhold_texts: bool,
    data: Path | None,
    workflow: Path | None,
) -> Seal:
    data = data or data_folder()
    catalogue = load_catalogue(data)
    held = contents(folder, data, workflow)
    limited = restricted(set().union(*dataset_sources(folder.root).values()), catalogue)
    withheld = {place: Withheld(digest(p), WEIGHTS) for place, p in held.weights.items()}
    members = held.members
    if withhold_texts:
        withheld |= _withhold(folder, members, spare, limited)
    digests = {place: digest(path) for place, path in sorted(members.items())}
    members[CRATE] = _spare(spare, CRATE, crate_text(folder, digests, catalogue).encode())
    digests[CRATE] = digest(members[CRATE])
    seal = Seal(dict(sorted(digests.items())), withheld, tuple(limited))
    members[SEAL] = _spare(spare, SEAL, seal.to_text().encode())
    pack(members, target)
    return seal


def _withhold(
    folder: Folder, members: dict[str, Path], spare: Path, limited: list[Terms]
) -> dict[str, Withheld]:
    """Replace members that hold texts of limited sources; take out those that quote them."""
    names = {one.source for one in limited}
    datasets = {d for d, used in dataset_sources(folder.root).items() if used & names}
    if not datasets:
        return {}
    touched = {p: path for p, path in members.items() if dataset_of(p) in datasets}
    texts = item_texts(folder.root, touched)
    withheld: dict[str, Withheld] = {}
    for place, path in touched.items():
        if found := without_texts(folder.root, place):
            withheld[place] = Withheld(digest(path), TEXTS, found[1])
            members[place] = _spare(spare, place, found[0])
    quoting = set(quoting_tables(folder, texts))
    for place in [p for p in members if _quotes(p, quoting)]:
        withheld[place] = Withheld(digest(members.pop(place)), TEXTS)
    return withheld


def _quotes(place: str, tables: set[str]) -> bool:
    left_out = place in tables or place.split("/")[0] in QUOTING
    return left_out and not place.endswith(SUFFIX)


def _spare(folder: Path, place: str, data: bytes) -> Path:
    write_atomically(folder / place, data)
    return folder / place


def explain(bundle: Bundle) -> list[str]:
    """What whoever passes the bundle on should know, in lines."""
    seal = bundle.seal
    lines = [f"{bundle.archive}: {len(seal.files):,} files, sha256 {bundle.sha256}"]
    emptied = [place for place, one in seal.withheld.items() if one.columns]
    out = [place for place, one in seal.withheld.items() if not one.columns]
    if emptied or out:
        lines.append(f"withheld: the texts of {len(emptied)} files, {len(out)} files whole")
    lines += [_line(one, bool(emptied)) for one in seal.sources]
    return lines


def _line(one: Terms, without: bool) -> str:
    what = "texts withheld" if without else "its texts are in the bundle: ask before passing it on"
    return f"source {one.source}: licence {one.licence}; {what}"
