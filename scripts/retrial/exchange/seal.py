"""The seal of a bundle: `BUNDLE.json` lists every member with its digest, and what is withheld."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from retrial import __version__
from retrial.audit.sidecars import digest
from retrial.audit.states import Link
from retrial.digest import canonical_json, sha256_text
from retrial.errors import RetrialError
from retrial.exchange.licences import Terms

SEAL = "BUNDLE.json"
VERSION = 1
INPUT = "input "


@dataclass(frozen=True)
class Withheld:
    """A file that is not in the bundle as it was: `sha256` is that of the original.

    `columns` were emptied; without any, the whole file was left out. `why` says so.
    """

    sha256: str
    why: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seal:
    """What a bundle holds: path -> sha256; what it withholds; sources with limited terms."""

    files: Mapping[str, str]
    withheld: Mapping[str, Withheld] = field(default_factory=dict)
    sources: tuple[Terms, ...] = ()
    retrial: str = __version__

    def to_text(self) -> str:
        """The one text of this seal: sorted, and ending in the digest of the rest."""
        body = {
            "bundle_version": VERSION,
            "retrial": self.retrial,
            "files": dict(self.files),
            "withheld": {path: asdict(one) for path, one in self.withheld.items()},
            "sources": [asdict(one) for one in self.sources],
        }
        sealed = {**body, "seal_sha256": sha256_text(canonical_json(body))}
        return json.dumps(sealed, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_seal(path: Path) -> Seal:
    """The seal of an unpacked bundle. RetrialError when a single byte of it is another.

    The digest of the seal stands in the seal, so this finds damage, not forgery: against that,
    compare the archive's sha256 with one that came by another way.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content: dict[str, Any] = json.loads(text)
        seal = Seal(
            {str(name): str(sha256) for name, sha256 in content["files"].items()},
            {name: _withheld(one) for name, one in content["withheld"].items()},
            tuple(Terms(**one) for one in content["sources"]),
            str(content["retrial"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RetrialError(f"{path.name}: MISMATCH: not a bundle's seal: {error!r}") from error
    if seal.to_text() != text:
        raise RetrialError(f"{path.name}: MISMATCH: changed since the bundle was sealed")
    return seal


def _withheld(one: Mapping[str, Any]) -> Withheld:
    return Withheld(one["sha256"], one["why"], tuple(one["columns"]))


def check_seal(folder: Path, seal: Seal) -> Iterator[Link]:
    """Every member against the seal, and files that it does not list."""
    for place, sha256 in sorted(seal.files.items()):
        path = folder / place
        if not path.is_file():
            yield Link(place, "bundle", "MISSING", f"{SEAL} lists it")
        elif digest(path) != sha256:
            yield Link(place, "bundle", "MISMATCH", f"sha256 is not the {sha256} of {SEAL}")
        else:
            yield Link(place, "bundle", "RECORDED")
    found = (p.relative_to(folder).as_posix() for p in sorted(folder.rglob("*")) if p.is_file())
    for place in found:
        if place not in seal.files and place != SEAL:
            yield Link(place, "bundle", "MISMATCH", f"{SEAL} does not list it")


def excused(link: Link, withheld: Mapping[str, Withheld]) -> Link:
    """A digest that can't match because the file is withheld; any other link as it is."""
    named = link.what.removeprefix(INPUT) if link.what.startswith(INPUT) else link.file
    one = withheld.get(named)
    if one is None or not link.broken or link.what == "sidecar":
        return link
    what = f"without {', '.join(one.columns)}" if one.columns else "left out"
    return replace(link, state="RECORDED", detail=f"{named} {what}: {one.why}", checked=False)
