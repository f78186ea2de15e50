"""The chain behind one cell: its value, print, formula, ratings, and the jobs that made them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retrial.audit.compare import differing
from retrial.audit.find_cell import CellName
from retrial.audit.finding import finding_steps
from retrial.audit.jobs import job_steps, places_behind
from retrial.audit.joined import link_states
from retrial.audit.members import Members, unknown_items
from retrial.audit.one_cell import PLACES, OneCell, open_cell
from retrial.audit.origins import Origins
from retrial.audit.rendered import rendering_links
from retrial.audit.rows import Choice, row_steps
from retrial.audit.stage_tables import PRINT
from retrial.audit.states import Link, State
from retrial.audit.steps import Audit, Step
from retrial.errors import RetrialError
from retrial.record import LINKS, read
from retrial.tables.claims import PRINTED
from retrial.tables.declare import ItemText
from retrial.tables.derived import rests_on
from retrial.tables.format import print_value


def audit_cell(root: Path, name: CellName, choice: Choice | None = None) -> Audit:
    """The whole chain of a cell, and of the ratings that `choice` picks.

    Raises RetrialError when the cell or its table's sidecar can't be read; all that is broken
    behind them is a link of the audit.
    """
    cell = open_cell(root, name)
    if cell.is_finding:
        parts = (_finding, _printed)
        told = [step for part in parts for step in _safely(part, cell)]
        told += _safely(_job, cell, cell.sidecar.place)
        return Audit(str(name), str(root), tuple(told))
    origins = Origins(root)
    steps, rows = [], []
    for part in (_value, _published, _formula, _inputs):
        steps += _safely(part, cell)
    members = _members(cell, origins)
    for one in members:
        steps += _safely(_selection, cell, one)
    steps += _safely(_links_step, cell)
    steps += _safely(_text, cell, origins)
    steps += _safely(_printed, cell)
    steps += [s for place in _places(cell, members) for s in _safely(_job, cell, place)]
    try:
        rows = list(row_steps(cell, members, choice or Choice()))
    except Exception as error:
        steps.append(Step("ratings shown", {}, (_broken(cell, error),)))
    return Audit(str(name), str(root), tuple(steps), tuple(rows))


def _places(cell: OneCell, members: list[Members]) -> list[str]:
    """The outputs behind the cell; its own alone, where the steps before told that it is broken."""
    try:
        return list(dict.fromkeys([*places_behind(cell, members), *_links_files(cell)]))
    except Exception:
        return [cell.sidecar.place]


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
    if unprinted and found["metric"] == PRINTED:
        link = _link(cell, "cell", "RECORDED", "the published values are not here", False)
        yield Step("value", facts, (link,))
        return
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
    paper = cell.declaration.paper_table
    lines = {(f"{v.study}_{v.table}", v.row, v.column): v for v in cell.printed}
    value = lines.get((paper, cell.name.row, cell.name.column))
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
    if not rests_on(cell.spec.sample):
        return
    links, facts = [], {}
    for other in _inputs_of(cell):
        name = f"{other.name.row} / {other.name.column}"
        facts[name] = other.recorded["value"]
        wrong = differing(other.recorded, other.recompute(), (*PLACES, *PRINT))
        state: State = "MISMATCH" if wrong else "VERIFIED"
        links.append(_link(cell, name, state, "; ".join(wrong.values())))
    yield Step("derived from", facts, tuple(links))


def _inputs_of(cell: OneCell) -> Iterator[OneCell]:
    """The cells that a derived cell is computed from, reading the same files once."""
    for row, column in rests_on(cell.spec.sample):
        found = open_cell(cell.root, CellName(cell.name.table, row, column))
        other = OneCell(cell.root, found.name, found.recorded, cell.sidecar)
        other.__dict__["results"] = cell.results
        yield other


def _members(cell: OneCell, origins: Origins) -> list[Members]:
    """The ratings behind the cell and its inputs, each selection once.

    All of a selection, or only the quoted ones where all are the recorded ones.
    """
    try:
        cells = [cell, *_inputs_of(cell)]
        known = {s["members_sha256"] for one in cells for s in one.recorded["selections"]}
        found = {}
        for one in cells:
            for selected in one.selected:
                whole = selected.members_sha256 in known
                quoted = one.quoted if whole else None
                key = (selected.selection, selected.members_sha256)
                found[key] = Members(cell.root, selected, origins, quoted, whole or not known)
        return list(found.values())
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
    same = members.as_recorded
    detail = "digest of the rows, recomputed" if same else "are not those of the cell"
    links = [Link(members.file, "members", "VERIFIED" if same else "MISMATCH", detail)]
    if not same and (lost := unknown_items(cell.root, selected)):
        what = f"{len(lost)} rated items, such as {lost[0]}"
        links.append(Link(members.items_file, what, "MISSING", "not among the items"))
    yield Step(f"ratings: {selected.selection.role}", facts, (*links, *members.links()))


def _links_step(cell: OneCell) -> Iterator[Step]:
    """The links between recorded and released items that the cell, or an input, joins through."""
    for file in _links_files(cell):
        certain = read(cell.root / file, LINKS, ["certainty"])["certainty"].to_pylist()
        facts = {name: certain.count(name) for name in sorted(set(certain))}
        detail = "the story order is inferred from texts"
        inferred = Link(file, "joined items", "INFERRED", detail)
        yield Step("links", facts, (*link_states(cell.root, file), inferred))


def _links_files(cell: OneCell) -> list[str]:
    files = [one.links_file for one in (cell, *_inputs_of(cell))]
    return list(dict.fromkeys(file for file in files if file))


def _text(cell: OneCell, origins: Origins) -> Iterator[Step]:
    """The item that a text cell quotes."""
    sample = cell.spec.sample
    if not isinstance(sample, ItemText):
        return
    for item in cell.results.items(sample.items, dict(sample.strata)):
        facts = {"item": item["item_id"], "source": item["source"], "line": item["source_line"],
                 **origins.file_facts(item["source"])}  # fmt: skip
        yield Step("item", facts, (origins.item_link(sample.items, item),))


def _finding(cell: OneCell) -> Iterator[Step]:
    """A consistency finding and the printed cells that it is about."""
    yield from finding_steps(cell)


def _printed(cell: OneCell) -> Iterator[Step]:
    """What the renderings of the table print for the cell."""
    links = tuple(rendering_links(cell.root, cell.recorded, cell.declaration.description))
    if links:
        yield Step("printed", {"in": [link.file for link in links]}, links)


def _job(cell: OneCell, place: str) -> Iterator[Step]:
    """One job behind the cell."""
    yield from job_steps(cell.root, place)
