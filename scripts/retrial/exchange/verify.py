"""Verifying what was handed on: an archive, an unpacked bundle, or a plain results folder."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from retrial.audit.digests import folder_digests
from retrial.audit.manifest import check_manifest
from retrial.audit.sidecars import Folder, Sidecar, open_folder
from retrial.audit.states import Link
from retrial.audit.verify import verify
from retrial.exchange.archive import Limits, packed_by_pack, packing_faults, unpack
from retrial.exchange.seal import SEAL, Withheld, check_seal, excused, read_seal

TEXT_RULES = ("choose_examples", "embed_items", "story_order")
"""Rules whose outputs hold no text, but can't be made again without the items' texts."""

QUOTED = ("tables/", "stories/")
"""What is left out whole because it quotes items, and is read as a whole by what rests on it."""


def verify_any(place: Path, *, quick: bool = False) -> Iterator[Link]:
    """Every link of an archive, an unpacked bundle or a results folder, with its state.

    Needs no network and no model. Raises RetrialError as `unpack`, `read_seal` and `verify` do.
    """
    if place.is_file():
        yield from verify_archive(place, quick=quick)
    elif (place / SEAL).is_file():
        yield from verify_bundle(place, quick=quick)
    else:
        yield from verify(place, quick=quick)


def verify_archive(
    archive: Path, *, quick: bool = False, limits: Limits | None = None
) -> Iterator[Link]:
    """Unpack an archive into a temporary folder and verify the bundle in it.

    An archive that `retrial bundle` wrote is also compared with its members packed again, so that
    no byte of it is left unchecked; one that was packed anew by other means is not.
    """
    with tempfile.TemporaryDirectory(prefix="retrial-") as temporary:
        folder = Path(temporary) / "bundle"
        folder.mkdir()
        names = unpack(archive, folder, limits)
        if (folder / SEAL).is_file():
            yield from verify_bundle(folder, quick=quick)
        else:
            yield Link(SEAL, "bundle", "MISSING", "the archive holds no seal; is it a bundle?")
            yield from verify(folder, quick=quick)
        if packed_by_pack(archive):
            faults = list(packing_faults(archive, folder, names, Path(temporary) / "again.zip"))
            yield from (Link(archive.name, "packing", "MISMATCH", fault) for fault in faults)
            if not faults:
                yield Link(archive.name, "packing", "VERIFIED", "packed again, the same bytes")
        else:
            detail = "packed by other means, so only the members are checked"
            yield Link(archive.name, "packing", "ASSERTED", detail, checked=False)


def verify_bundle(folder: Path, *, quick: bool = False) -> Iterator[Link]:
    """The members against the seal, then the record as in any results folder.

    What rests on withheld texts is RECORDED and not checked, and says so; the rest is held to
    the same as everywhere.
    """
    seal = read_seal(folder / SEAL)
    yield Link(SEAL, "bundle", "VERIFIED", f"{len(seal.files):,} members")
    yield from check_seal(folder, seal)
    opened = open_folder(folder)
    for link in chain(folder_digests(opened), check_manifest(opened)):
        yield excused(link, seal.withheld)
    if quick:
        return
    from retrial.audit.recompute import recompute

    kept = [s for s in opened.sidecars if not _needs_texts(s, seal.withheld)]
    yield from recompute(_only(opened, kept))
    for sidecar in opened.sidecars:
        if not sidecar.fault and sidecar not in kept:
            detail = "rests on texts that are withheld from the bundle, so not made again here"
            yield Link(sidecar.place, "recomputation", "RECORDED", detail, checked=False)


def _only(folder: Folder, sidecars: list[Sidecar]) -> Folder:
    return replace(folder, sidecars=tuple(sidecars))


def _needs_texts(sidecar: Sidecar, withheld: Mapping[str, Withheld]) -> bool:
    if sidecar.fault:
        return False
    if sidecar.place in withheld:
        return True
    lacking = [place for place in sidecar.inputs if place in withheld]
    return bool(lacking) and (
        sidecar.rule in TEXT_RULES or any(place.startswith(QUOTED) for place in lacking)
    )
