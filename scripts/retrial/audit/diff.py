"""Why one cell has another value in another run: what behind it differs between the two."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrial.audit.compare import same
from retrial.audit.diff_aspects import ASPECTS, Aspect, code, config
from retrial.audit.diff_side import Side
from retrial.audit.find_cell import CellName, find_cell
from retrial.errors import RetrialError
from retrial.tables.format import print_value

VALUES = ("value", "value_text", "ci_low", "ci_high", "n", "excluded", "reason")


@dataclass(frozen=True)
class CellDiff:
    """Two runs of one cell. `values` holds what each prints, None where the cell is absent.

    `aspects` are in the order of telling, those that differ first; `faults` names what could not
    be compared.
    """

    cell: str
    roots: tuple[str, str]
    values: tuple[dict[str, Any] | None, dict[str, Any] | None]
    aspects: tuple[Aspect, ...]
    absent: str = ""
    faults: tuple[str, ...] = ()

    @property
    def same_value(self) -> bool:
        """Whether both have the cell, and print and hold the same."""
        one, other = self.values
        return one is not None and other is not None and same(one, other)

    @property
    def identical(self) -> bool:
        """Whether nothing at all differs, and all could be compared."""
        return self.same_value and not self.faults and not any(a.differs for a in self.aspects)

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "cell": self.cell,
            "roots": list(self.roots),
            "values": list(self.values),
            "identical": self.identical,
            "same_value": self.same_value,
            "absent": self.absent,
            "aspects": [_plain(aspect) for aspect in self.aspects],
            "faults": list(self.faults),
        }


def _plain(aspect: Aspect) -> dict[str, Any]:
    return {
        "name": aspect.name,
        "differs": aspect.differs,
        "counts": dict(aspect.counts),
        "compared": aspect.compared,
        "examples": list(aspect.examples),
    }


def diff_cell(root: Path, other: Path, target: str) -> CellDiff:
    """A cell in two results folders; it may be absent in one of them.

    Raises RetrialError when neither folder has the cell, or a table's sidecar can't be read.
    """
    name, absent = _find(root, other, target)
    here = Side.open(root, name, there=absent != root)
    there = Side.open(other, name, there=absent != other)
    aspects, faults = [], []
    for compare in ASPECTS if absent is None else (config, code):
        try:
            aspects.append(compare(here, there))
        except Exception as error:  # a damaged record may break anything that reads it
            detail = str(error) if isinstance(error, RetrialError) else repr(error)
            faults.append(f"{compare.__name__} can't be compared: {detail}")
    if absent is not None and not (here.has_table and there.has_table):
        aspects = []  # there is no job to compare with
    return CellDiff(
        str(name),
        (str(root), str(other)),
        (_values(here), _values(there)),
        tuple(sorted(aspects, key=lambda aspect: not aspect.differs)),
        _why_absent(absent, target) if absent is not None else "",
        tuple(faults),
    )


def _find(root: Path, other: Path, target: str) -> tuple[CellName, Path | None]:
    """The cell's exact name, and the folder that lacks it, if one does."""
    found, lacking = [], []
    for place in (root, other):
        if not place.is_dir():
            raise RetrialError(f"{place}: no such results folder")
        try:
            found.append(find_cell(place, target))
        except RetrialError as error:
            lacking.append((place, error))
    if not found:
        raise lacking[0][1]
    if len(set(found)) > 1:
        raise RetrialError(f"{target!r} is {found[0]} in {root}, but {found[1]} in {other}")
    return found[0], lacking[0][0] if lacking else None


def _why_absent(place: Path, target: str) -> str:
    try:
        find_cell(place, target)
    except RetrialError as error:
        return f"absent in {place}: {error}"
    return ""


def _values(side: Side) -> dict[str, Any] | None:
    found = side.recorded
    if not found:
        return None
    is_text = found["value"] is None and found["value_text"]
    printed = found["value_text"] if is_text else print_value(found["value"], found["format"])
    return {"printed": printed, **{name: _fact(found[name]) for name in VALUES}}


def _fact(value: Any) -> Any:
    return dict(value) if isinstance(value, list) else value


def lines_of(diff: CellDiff) -> Iterator[str]:
    """The comparison as lines of text."""
    yield diff.cell
    for root, values in zip(diff.roots, diff.values, strict=True):
        yield f"  {root}: {_told(values)}"
    if diff.absent:
        yield diff.absent
    yield from diff.faults
    for aspect in diff.aspects:
        if aspect.differs:
            yield f"{aspect.name}: {_counted(aspect)} (of {aspect.compared})"
            yield from (f"    {example}" for example in aspect.examples)
            more = sum(aspect.counts.values()) - len(aspect.examples)
            if more > 0:
                yield f"    and {more:,} more"
    equal = [aspect.name for aspect in diff.aspects if not aspect.differs]
    if equal:
        yield f"the same: {', '.join(equal)}"
    yield _verdict(diff)


def _counted(aspect: Aspect) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in aspect.counts.items())


def _told(values: dict[str, Any] | None) -> str:
    if values is None:
        return "no such cell"
    interval = values["ci_low"], values["ci_high"]
    told = f"{values['printed']} (n {values['n']:,}"
    if None not in interval:
        told += f", interval {interval[0]:.4g} to {interval[1]:.4g}"
    return f"{told}, exactly {values['value']!r})" if values["value"] is not None else f"{told})"


def _verdict(diff: CellDiff) -> str:
    if diff.absent:
        return "compared: the jobs of the table only" if diff.aspects else "nothing to compare"
    if diff.identical:
        return "identical: the values are equal, and so is all that lies behind them"
    if any(aspect.differs for aspect in diff.aspects):
        return f"the values {'are equal' if diff.same_value else 'differ'}"
    if diff.same_value:
        return "the values are equal; not all that lies behind them could be compared"
    return "the values differ, although nothing that was compared does"
