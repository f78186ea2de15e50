"""Two tables of one contract, record by record."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from retrial.audit.states import Link
from retrial.record import Contract

CLOSE = 1e-9
"""Numbers nearer than this (relative, or absolute below 1) are the same: libraries and machines
differ in the last bits of a sum, and nothing is printed to nine digits."""
SHOWN = 20
"""Broken records named for one file; the rest are counted."""


@dataclass(frozen=True)
class Difference:
    """One record that differs: its key, and how."""

    key: Mapping[str, Any]
    detail: str

    @property
    def name(self) -> str:
        """The key without what is empty."""
        return ", ".join(f"{k} {v}" for k, v in self.key.items() if v not in ("", 0))


def same(recorded: Any, recomputed: Any) -> bool:
    """Equality, but for the last bits of numbers (also inside lists and pairs)."""
    if isinstance(recorded, float) and isinstance(recomputed, float | int):
        scale = max(1.0, abs(recorded), abs(recomputed))
        return abs(recorded - recomputed) <= CLOSE * scale
    if isinstance(recorded, dict) and isinstance(recomputed, dict):
        keys = recorded.keys() | recomputed.keys()
        return all(k in recorded and k in recomputed and same(recorded[k], recomputed[k])
                   for k in keys)  # fmt: skip
    if isinstance(recorded, list | tuple) and isinstance(recomputed, list | tuple):
        return len(recorded) == len(recomputed) and all(
            same(a, b) for a, b in zip(recorded, recomputed, strict=True)
        )
    return bool(recorded == recomputed)


def differing(
    recorded: Mapping[str, Any], recomputed: Mapping[str, Any], ignore: Collection[str] = ()
) -> dict[str, str]:
    """The fields that differ, each with what was found and what is right."""
    return {
        name: f"{name} is {_short(recorded[name])}, recomputed {_short(recomputed[name])}"
        for name in recorded
        if name not in ignore and not same(recorded[name], recomputed.get(name))
    }


def differences(
    recorded: pa.Table, recomputed: pa.Table, contract: Contract, ignore: Collection[str] = ()
) -> Iterator[Difference]:
    """Records that are lacking, surplus, repeated or different, in the recorded order."""
    kept = [name for name in recomputed.column_names if name not in ignore]
    if recorded.select(kept).equals(recomputed.select(kept)):
        return
    right = {_key(row, contract): row for row in recomputed.select(kept).to_pylist()}
    seen: Counter[tuple[Any, ...]] = Counter()
    for row in recorded.select(kept).to_pylist():
        key = _key(row, contract)
        named = dict(zip(contract.key, key, strict=True))
        seen[key] += 1
        if seen[key] > 1:
            yield Difference(named, "stands twice")
        elif key not in right:
            yield Difference(named, "is no record that its inputs give")
        elif wrong := differing(row, right[key]):
            yield Difference(named, "; ".join(wrong.values()))
    for key in right.keys() - seen.keys():
        yield Difference(dict(zip(contract.key, key, strict=True)), "is lacking")


def told(place: str, what: str, found: list[Difference], records: int) -> Iterator[Link]:
    """The differences as links, or one VERIFIED link when there is none."""
    if not found:
        yield Link(place, what, "VERIFIED", f"{records:,} records")
    for difference in found[:SHOWN]:
        yield Link(place, f"{what}: {difference.name}", "MISMATCH", difference.detail)
    if len(found) > SHOWN:
        yield Link(place, what, "MISMATCH", f"and {len(found) - SHOWN:,} records more")


def _key(row: Mapping[str, Any], contract: Contract) -> tuple[Any, ...]:
    return tuple(row[name] for name in contract.key)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
