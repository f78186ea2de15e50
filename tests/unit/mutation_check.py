"""Whether damage is named: by verify, and by the audits of the cells that use what was damaged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from mutation_bench import Bench, Uses
from mutation_sources import published_value, rendered_digit, source_line
from mutations import (
    CHANGES,
    Damage,
    Mutate,
    behind,
    flip_byte,
    forged_seed,
    on_rows,
    on_sidecar,
    other_digest,
    other_parameter,
)

from retrial.audit.chain import audit_cell
from retrial.audit.digests import folder_digests
from retrial.audit.find_cell import TARGET, CellName
from retrial.audit.manifest import check_manifest
from retrial.audit.recompute import recompute
from retrial.audit.rows import Choice
from retrial.audit.sidecars import open_folder
from retrial.audit.states import Link
from retrial.audit.verify import verify
from retrial.errors import RetrialError

Verify = Callable[[Bench, Uses, Damage], Iterable[Link]]


def kinds() -> dict[str, Mutate]:
    """Every kind of mutation by name."""
    found: dict[str, Mutate] = {"flip a byte": flip_byte}
    for stage in CHANGES:
        for act in ("drop", "duplicate", "change"):
            found[f"{act}: {stage}"] = on_rows(f"{act}: {stage}", stage, act, False)
        forged = f"forged: {stage}"
        found[forged] = on_rows(forged, stage, "change", True)
    for stage in ("judge ratings", "human ratings", "answers", "cells"):
        forged = f"forged: {stage} dropped"
        found[forged] = on_rows(forged, stage, "drop", True)
    for name, act in (("remove", None), ("another parameter", other_parameter),
                      ("another digest", other_digest)):  # fmt: skip
        found[f"sidecar: {name}"] = on_sidecar(f"sidecar: {name}", act)
    return {
        **found,
        "forged: a table's seed": forged_seed,
        "source: a line": source_line,
        "a published value": published_value,
        "forged: a rendering's digit": rendered_digit,
    }


@dataclass(frozen=True)
class Outcome:
    """What was seen of one mutation; `clean` and `audited` are None where no cell was to try."""

    damage: Damage
    verified: bool
    audited: bool | None
    clean: bool | None
    told: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether all that has to be named was, and nothing else."""
        return self.verified and self.audited is not False and self.clean is not False


def whole(bench: Bench, uses: Uses, damage: Damage) -> Iterable[Link]:
    """The full verify."""
    return verify(bench.root)


def partly(bench: Bench, uses: Uses, damage: Damage) -> Iterable[Link]:
    """All digests, and what the damaged file and those made from it are made again from."""
    folder = open_folder(bench.root)
    yield from folder_digests(folder)
    yield from check_manifest(folder)
    reached = bench.made_from(damage.place)
    kept = tuple(s for s in folder.sidecars if s.place in reached)
    yield from recompute(replace(folder, sidecars=kept))


def examine(
    bench: Bench, uses: Uses, damage: Damage, random: Random, check: Verify = whole
) -> Outcome:
    """Verify, then the audit of a cell that uses the damaged record and of one that does not."""
    found = [_said(link) for link in check(bench, uses, damage) if link.broken]
    verified = any(name in line for name in damage.names for line in found)
    audited = clean = None
    told = found[:3] if not verified else []
    if damage.hit:
        name = random.choice(sorted(damage.hit))
        lines = audit(bench.root, name)
        audited = any(part in line for part in (*damage.names, damage.place) for line in lines)
        told += [] if audited else [f"audit of {name} says: {lines[:2]}"]
    spared = uses.names - damage.hit - damage.touched - _whole_tables(uses, damage)
    if spared:
        name = random.choice(_near(sorted(spared), damage, random))
        lines = audit(bench.root, name)
        clean = not lines
        told += [] if clean else [f"audit of {name} should be clean: {lines[:2]}"]
    return Outcome(damage, verified, audited, clean, tuple(told))


def _near(spared: list[str], damage: Damage, random: Random) -> list[str]:
    """In half of the cases cells of a table that the damaged record is used in."""
    tables = {name.split("[")[0] for name in damage.hit}
    near = [name for name in spared if name.split("[")[0] in tables]
    return near if near and random.random() < 0.5 else spared


def _whole_tables(uses: Uses, damage: Damage) -> set[str]:
    """Cells that rest on whole files: joined through links, or findings on recomputed tables."""
    if damage.place.startswith("tables/"):
        return {n for n in uses.names if "_consistency[" in n}
    return {name for name in uses.names if name in uses.inferred}


def audit(root: Path, name: str) -> list[str]:
    """The broken links of a cell's audit, as lines; an audit that can't begin is one line."""
    match = TARGET.fullmatch(name)
    assert match is not None
    cell = CellName(match["table"], match["row"], match["column"])
    try:
        links = list(audit_cell(root, cell, Choice(sample=1)).links())
    except RetrialError as error:
        return [str(error)]
    return [_said(link) for link in links if link.broken]


def _said(link: Link) -> str:
    return f"{link.state} {link.file}: {link.what}: {link.detail}"


__all__ = ["Outcome", "behind", "examine", "kinds", "partly", "whole"]
