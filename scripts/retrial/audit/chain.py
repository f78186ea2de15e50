"""The chain behind one cell: its value, print, formula, ratings, and the jobs that made them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retrial.audit.code import code_link
from retrial.audit.compare import differing
from retrial.audit.find_cell import CellName
from retrial.audit.finding import finding_steps
from retrial.audit.members import Members
from retrial.audit.one_cell import PLACES, OneCell, open_cell
from retrial.audit.origins import Origins
from retrial.audit.rows import Choice, row_steps
from retrial.audit.sidecars import Sidecar, digest
from retrial.audit.stage_tables import PRINT
from retrial.audit.states import Link, State
from retrial.audit.steps import Audit, Step
from retrial.errors import RetrialError
from retrial.record import LINKS, read
from retrial.tables.declare import Holm, ItemText
from retrial.tables.format import print_value


def audit_cell(root: Path, name: CellName, choice: Choice | None = None) -> Audit:
    """The whole chain of a cell, and of the ratings that `choice` picks.

    Raises RetrialError when the cell or its table's sidecar can't be read; all that is broken
    behind them is a link of the audit.
    """
    cell = open_cell(root, name)
    if cell.is_finding:
        return Audit(str(name), str(root), tuple(finding_steps(cell)))
    origins = Origins(root)
    steps, rows = [], []
    for part in (_value, _published, _formula, _inputs):
        steps += _safely(part, cell)
    members = _members(cell, origins)
    for one in members:
        steps += _safely(_selection, cell, one)
    steps += _safely(_links_step, cell)
    steps += _safely(_text, cell, origins)
    steps += [s for sidecar in _jobs(cell, members) for s in _safely(_job, cell, sidecar)]
    try:
        rows = list(row_steps(cell, members, choice or Choice()))
    except Exception as error:
        steps.append(Step("ratings shown", {}, (_broken(cell, error),)))
    return Audit(str(name), str(root), tuple(steps), tuple(rows))


def _safely(part: Any, cell: OneCell, *rest: Any) -> list[Step]:
    """The steps of one part of the chain; what can't be read is a broken link of it."""
    try:
        return list(part(cell, *rest))
    except Exception as error:  # a damaged record may break anything that reads it
        title = part.__name__.strip("_").replace("_", " ")
        return [Step(title, {}, (_broken(cell, error),))]


def _broken(cell: OneCell, error: Exception) -> Link:
    detail = str(error) if isinstance(error, RetrialError) else repr(error)
    return Link(cell.sidecar.place, "chain", "MISMATCH", f"can't be followed: {detail}")


def _link(cell: OneCell, what: str, state: State, detail: str = "", checked: bool = True) -> Link:
    return Link(cell.sidecar.place, what, state, detail, checked)


def _value(cell: OneCell) -> Iterator[Step]:
    """The value as printed and as stored, made again."""
    found = cell.recorded
    is_text = found["value"] is None and found["value_text"]
    shown = found["value_text"] if is_text else print_value(found["value"], found["format"])
    facts: dict[str, Any] = {"printed": shown}
    facts |= {"value": found["value"], "format": found["format"], "n": found["n"],
              "kind": found["kind"]}  # fmt: skip
    if found["ci_low"] is not None:
        facts["interval"] = [found["ci_low"], found["ci_high"]]
    if found["excluded"]:
        facts["left out"] = dict(found["excluded"])
    if found["reason"]:
        facts["reason"] = found["reason"]
    unprinted = () if cell.published_file[1] else PRINT
    wrong = differing(found, cell.recompute(), (*PLACES, *unprinted))
    if wrong:
        yield Step("value", facts, tuple(_link(cell, n, "MISMATCH", d) for n, d in wrong.items()))
        return
    checked = [n for n in ("value", "ci_low", "excluded") if found[n]] or ["reason"]
    what = "value, interval, counts and members" if "ci_low" in checked else "all fields"
    yield Step("value", facts, (_link(cell, "cell", "VERIFIED", f"made again: {what}"),))


def _published(cell: OneCell) -> Iterator[Step]:
    """The paper's value beside ours."""
    found = cell.recorded
    recorded, path = cell.published_file
    lines = {(v.row, v.column): v for v in cell.printed}
    value = lines.get((cell.name.row, cell.name.column))
    facts = {"paper says": found["published"] or "nothing at hand"}
    if found["published"] is not None:
        facts |= {"read in": found["published_source"], "verdict": found["verdict"] or "none",
                  "why": found["verdict_reason"]}  # fmt: skip
    if not recorded:
        yield Step("published", facts)
        return
    if path is None:
        link = _link(cell, recorded, "RECORDED", "not here, so not checked", False)
    elif (value.printed if value and value.at_hand else None) == found["published"]:
        link = _link(cell, recorded, "VERIFIED", "the file gives the same")
    else:
        now = value.printed if value else None
        link = _link(cell, recorded, "MISMATCH", f"the file gives {now!r}")
    yield Step("published", facts, (link,))


def _formula(cell: OneCell) -> Iterator[Step]:
    """The metric and its parameters."""
    from retrial.metrics.base import REGISTRY

    found = cell.recorded
    metric = REGISTRY.get(found["metric"] or "")
    facts: dict[str, Any] = {"metric": found["metric"], "parameters": found["parameters"]}
    if metric is not None:
        code = metric.compute.__code__
        facts["formula"] = metric.doc
        facts["code"] = f"{Path(code.co_filename).name} line {code.co_firstlineno}"
    yield Step("formula", facts)


def _inputs(cell: OneCell) -> Iterator[Step]:
    """The cells that a derived cell rests on, each made again."""
    if not isinstance(cell.spec.sample, Holm):
        return
    links, facts = [], {}
    for row, column in cell.spec.sample.family:
        other = open_cell(cell.root, CellName(cell.name.table, row, column))
        facts[f"{row} / {column}"] = other.recorded["value"]
        again = OneCell(cell.root, other.name, other.recorded, cell.sidecar)
        again.__dict__["results"] = cell.results
        wrong = differing(other.recorded, again.recompute(), (*PLACES, *PRINT))
        state: State = "MISMATCH" if wrong else "VERIFIED"
        links.append(_link(cell, f"{row} / {column}", state, "; ".join(wrong.values())))
    yield Step("derived from", facts, tuple(links))


def _members(cell: OneCell, origins: Origins) -> list[Members]:
    try:
        return [Members(cell.root, selected, origins) for selected in cell.selected]
    except Exception:  # the value step names what can't be read
        return []


def _selection(cell: OneCell, members: Members) -> Iterator[Step]:
    """One selection: what was used and left out, and every rating of it against its answer."""
    selected = members.selected
    facts: dict[str, Any] = {
        "file": members.file,
        "filter": selected.record()["filter"],
        "used": selected.used.num_rows,
        "left out": selected.excluded or "none",
        "items": len(selected.item_ids),
        "members sha256": selected.members_sha256,
    }
    on_record = {s["members_sha256"] for s in cell.recorded["selections"]}
    same = selected.members_sha256 in on_record or not on_record
    detail = "digest of the rows, recomputed" if same else "are not those of the cell"
    link = Link(members.file, "members", "VERIFIED" if same else "MISMATCH", detail)
    yield Step(f"ratings: {selected.selection.role}", facts, (link, *members.links()))


def _links_step(cell: OneCell) -> Iterator[Step]:
    """The links between recorded and released items that the cell joins through."""
    if cell.links_file is None:
        return
    certain = read(cell.root / cell.links_file, LINKS, ["certainty"])["certainty"].to_pylist()
    facts = {name: certain.count(name) for name in sorted(set(certain))}
    detail = "the story order is inferred from texts"
    yield Step("links", facts, (Link(cell.links_file, "joined items", "INFERRED", detail),))


def _text(cell: OneCell, origins: Origins) -> Iterator[Step]:
    """The item that a text cell quotes."""
    sample = cell.spec.sample
    if not isinstance(sample, ItemText):
        return
    for item in cell.results.items(sample.items, dict(sample.strata)):
        facts = {"item": item["item_id"], "source": item["source"], "line": item["source_line"],
                 **origins.file_facts(item["source"])}  # fmt: skip
        yield Step("item", facts, (origins.item_link(sample.items, item),))


def _jobs(cell: OneCell, members: list[Members]) -> list[Sidecar]:
    """The jobs behind the cell, the last one first, each once."""
    found = {cell.sidecar.place: cell.sidecar}
    for one in members:
        answers = one.origins.sidecar(one.behind("answers")) if one.behind("answers") else None
        for sidecar in (one.sidecar, answers, one.origins.sidecar(one.items_file)):
            if sidecar is not None:
                found[sidecar.place] = sidecar
    return list(found.values())


def _job(cell: OneCell, sidecar: Sidecar) -> Iterator[Step]:
    """One job: code, commit, lock, parameters, host and time; and its file's digest."""
    job, git = sidecar.job, sidecar.job.get("git") or {}
    facts: dict[str, Any] = {
        "output": sidecar.place,
        "code digest": job.get("code_digest"),
        "commit": f"{git.get('commit')}{' with changes' if git.get('dirty') else ''}",
        "lock": job.get("lock_sha256"),
        "where": f"{job.get('host')}, {job.get('machine')}, Python {job.get('python')}",
        "when": f"{job.get('started')} to {job.get('ended')}",
        "parameters": sidecar.parameters,
        **({"facts": sidecar.record["facts"]} if sidecar.record.get("facts") else {}),
    }
    yield Step(
        f"job: {sidecar.rule}", facts, (code_link(sidecar, deep=False), _file(cell, sidecar))
    )


def _file(cell: OneCell, sidecar: Sidecar) -> Link:
    """The file's digest. Another one breaks no record that was verified by itself."""
    path = cell.root / sidecar.place
    if not path.is_file():
        return Link(sidecar.place, "file", "MISSING", f"{path} is not there")
    if digest(path) == sidecar.sha256:
        return Link(sidecar.place, "file", "RECORDED", f"sha256 {sidecar.sha256}")
    detail = "sha256 differs: other records of this file changed; this cell's were read by id"
    return Link(sidecar.place, "file", "RECORDED", detail, checked=False)


def is_number(value: Any) -> bool:
    """Whether a fact is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)
