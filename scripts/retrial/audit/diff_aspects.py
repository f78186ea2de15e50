"""In what two runs may differ behind one cell, each aspect counted and with examples."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retrial.audit.compare import same
from retrial.audit.diff_side import Key, Side, flat
from retrial.audit.find_cell import CellName, load_cell
from retrial.errors import RetrialError

SHOWN = 5
"""Examples of one aspect; the rest are counted."""
WIDE = 100
DIGITS = 16
LOCAL = ("cache", "store", "work")
"""Parameters that only say where things lie."""
IN_PROMPT = ("template", "template_sha256", "turns", "text", "context", "text_b", "examples",
             "shared_examples", "turn", "rendered text")  # fmt: skip
PRINTED = ("published", "published_source", "verdict", "verdict_reason")


@dataclass(frozen=True)
class Aspect:
    """One thing in which two runs may differ: how often, and examples (`here | there`)."""

    name: str
    counts: Mapping[str, int]
    examples: tuple[str, ...] = ()
    compared: str = ""

    @property
    def differs(self) -> bool:
        """Whether anything differs."""
        return any(self.counts.values())


def data(here: Side, there: Side) -> Aspect:
    """The sources' files, and the items read from them."""
    sources = list(_changes(here.sources, there.sources))
    lost, new = _split(here.items, there.items)
    moved = {_line(here.items[i]): i for i in lost}
    changed = {line: i for i in new if (line := _line(there.items[i])) in moved}
    fields = [i for i in here.items.keys() & there.items.keys() if here.items[i] != there.items[i]]
    lost = [i for i in lost if _line(here.items[i]) not in changed]
    new = [i for i in new if _line(there.items[i]) not in changed]
    counts = {
        "sources differ": len(sources),
        "items differ": len(changed) + len(fields),
        "items only here": len(lost),
        "items only there": len(new),
    }
    told = [f"source {line}" for line in sources]
    told += [f"item at {line}: {moved[line]} | {other}" for line, other in sorted(changed.items())]
    told += [f"item {i}: {_fields(here.items[i], there.items[i])}" for i in sorted(fields)]
    told += [f"item {i} at {_line(here.items[i])} only here" for i in lost]
    told += [f"item {i} at {_line(there.items[i])} only there" for i in new]
    files = f"{len(here.sources)} | {len(there.sources)} files"
    return _aspect("data", counts, told, f"{files}, {len(here.items)} | {len(there.items)} items")


def config(here: Side, there: Side) -> Aspect:
    """Every parameter of the jobs behind the cell, leaf by leaf."""
    one, other = _leaves(here), _leaves(there)
    told = list(_changes(one, other))
    return _aspect(
        "config", {"leaves differ": len(told)}, told, f"{len(one)} | {len(other)} leaves"
    )


def _leaves(side: Side) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, sidecar in side.jobs.items():
        job = {name: v for name, v in sidecar.parameters.items() if name not in LOCAL}
        found |= {f"{place}: {name}": value for name, value in flat(job) if name}
    if side.cell:
        found["cell: metric"] = side.recorded["metric"] or ""
        found["cell: parameters"] = side.recorded["parameters"]
    return found


def prompts(here: Side, there: Side) -> Aspect:
    """What the judge was asked about each item, before and after it was cut to the context."""
    lost, new = _split(here.prompts, there.prompts)
    shared = sorted(here.prompts.keys() & there.prompts.keys())
    pairs = ((key, _fields(here.prompts[key], there.prompts[key], IN_PROMPT)) for key in shared)
    changed = [(key, fields) for key, fields in pairs if fields]
    counts = {"prompts differ": len(changed), "only here": len(lost), "only there": len(new)}
    told = [f"{_named(key)}: {fields}" for key, fields in changed]
    told += [f"{_named(key)} only here" for key in lost]
    told += [f"{_named(key)} only there" for key in new]
    return _aspect("prompts", counts, told, f"{len(here.prompts)} | {len(there.prompts)} prompts")


def model(here: Side, there: Side) -> Aspect:
    """The model, its revision, adapter, precision, engine and device, and the sampling."""
    told = list(_changes(_listed(here.asked), _listed(there.asked)))
    total = f"{len(here.asked)} | {len(there.asked)} settings"
    return _aspect("model", {"settings differ": len(told)}, told, total)


def code(here: Side, there: Side) -> Aspect:
    """The code that the jobs ran, by meaning, and the lock that they ran under."""
    told = []
    for place in sorted(here.jobs.keys() & there.jobs.keys()):
        one, other = here.jobs[place].job, there.jobs[place].job
        if one.get("code_digest") != other.get("code_digest"):
            files = [*_changes(one.get("code") or {}, other.get("code") or {})]
            named = ", ".join(line.split(": ")[0] for line in files[:SHOWN])
            digests = f"{one.get('code_digest')} | {other.get('code_digest')}"
            told.append(f"{place}: {named or 'no file by name'} ({digests})")
    locks = list(_changes(_surroundings(here), _surroundings(there)))
    counts = {"jobs differ": len(told), "surroundings differ": len(locks)}
    return _aspect("code", counts, [*told, *locks], f"{len(here.jobs)} | {len(there.jobs)} jobs")


def _surroundings(side: Side) -> dict[str, str]:
    named = ("lock_sha256", "python", "retrial", "machine")
    found: dict[str, set[str]] = {name: set() for name in named}
    for sidecar in side.jobs.values():
        for name in named:
            found[name].add(str(sidecar.job.get(name))[:DIGITS])
    return _listed(found)


def rows(here: Side, there: Side) -> Aspect:
    """The ratings that the cell uses or leaves out; those that moved furthest come first."""
    lost, new = _split(here.rows, there.rows)
    shared = here.rows.keys() & there.rows.keys()
    changed = [k for k in shared if not _same_rating(here.rows[k], there.rows[k])]
    changed.sort(key=lambda k: (-_distance(here.rows[k], there.rows[k]), k))
    inputs = list(_inputs(here, there))
    counts = {"ratings differ": len(changed), "only here": len(lost), "only there": len(new),
              "input cells differ": len(inputs)}  # fmt: skip
    told = [*inputs]
    told += [f"{_named(k)}: {_rated(here.rows[k])} | {_rated(there.rows[k])}" for k in changed]
    told += [f"{_named(key)} only here: {_rated(here.rows[key])}" for key in lost]
    told += [f"{_named(key)} only there: {_rated(there.rows[key])}" for key in new]
    return _aspect("rows", counts, told, f"{len(here.rows)} | {len(there.rows)} ratings")


def _inputs(here: Side, there: Side) -> Iterator[str]:
    """The cells that a derived cell rests on, where their values differ."""
    if not (here.cell and there.cell) or here.cell.is_finding:
        return
    names = dict.fromkeys([*here.recorded["inputs"], *there.recorded["inputs"]])
    yield from _changes(_values(here, names), _values(there, names))


def _values(side: Side, names: Iterable[str]) -> dict[str, str]:
    from retrial.audit.find_cell import find_cell

    found = {}
    for name in names:
        try:
            cell = find_cell(side.root, name)
            found[name] = str(
                load_cell(side.root, CellName(cell.table, cell.row, cell.column))["value"]
            )
        except RetrialError as error:
            found[name] = str(error)
    return found


def published(here: Side, there: Side) -> Aspect:
    """The paper's value, where it was read, and the verdict on ours."""
    one, other = (
        {name: str(side.recorded.get(name) or "") for name in PRINTED} for side in (here, there)
    )
    told = list(_changes(one, other))
    return _aspect(
        "published value", {"fields differ": len(told)}, told, one["published"] or "none"
    )


ASPECTS: tuple[Callable[[Side, Side], Aspect], ...] = (
    data,
    config,
    prompts,
    model,
    code,
    rows,
    published,
)
"""Most telling first: what explains a difference comes before what follows from it."""


def _aspect(name: str, counts: Mapping[str, int], told: list[str], compared: str) -> Aspect:
    return Aspect(name, {n: c for n, c in counts.items() if c}, tuple(told[:SHOWN]), compared)


def _changes(here: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    """`name: here | there` for every leaf that differs, by name."""
    for name in sorted(here.keys() | there.keys()):
        one, other = here.get(name), there.get(name)
        if one != other:
            yield f"{name}: {_short(one)} | {_short(other)}"


def _split(here: Mapping[Any, Any], there: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    return sorted(here.keys() - there.keys()), sorted(there.keys() - here.keys())


def _listed(leaves: Mapping[str, set[str]]) -> dict[str, str]:
    return {name: ", ".join(sorted(values)) for name, values in leaves.items()}


def _line(item: Mapping[str, Any]) -> str:
    return f"{item['source']} line {item['source_line']}"


def _fields(here: Mapping[str, Any], there: Mapping[str, Any], named: Iterable[str] = ()) -> str:
    names = named or here.keys()
    return ", ".join(name for name in names if not same(here.get(name), there.get(name)))


def _named(key: Key) -> str:
    return " ".join(str(part) for part in key if part not in ("", 0))


def _same_rating(here: Mapping[str, Any], there: Mapping[str, Any]) -> bool:
    return same(here["score"], there["score"]) and here["status"] == there["status"]


def _distance(here: Mapping[str, Any], there: Mapping[str, Any]) -> float:
    scores = here["score"], there["score"]
    return float("inf") if None in scores else abs(scores[0] - scores[1])


def _rated(row: Mapping[str, Any]) -> str:
    return str(row["status"]) if row["score"] is None else f"{row['score']:.6g}"


def _short(value: str | None) -> str:
    if value is None:
        return "absent"
    return value if len(value) <= WIDE else f"{value[: WIDE - 3]}..."
