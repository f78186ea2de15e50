"""Whether the code that made an output is the code that is here now."""

from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar, digest
from retrial.audit.states import Link
from retrial.code_digest import ROOT, code_digest, code_files
from retrial.errors import RetrialError

NAMED = 8


def code_link(sidecar: Sidecar) -> Link:
    """RECORDED when the recorded code runs here too, formatting and comments aside.

    MISMATCH names the files that changed: what was recomputed was recomputed with other code.
    """
    place, code = sidecar.place, sidecar.job.get("code") or {}
    script = next((name for name in code if name.endswith(".py") and "/" not in name), None)
    if script is None:
        return Link(place, "code", "MISSING", "the sidecar names no code")
    if all(_now(name) == known for name, known in code.items()):
        return _digest_link(place, sidecar, script, "every file is the same")
    if not (ROOT / script).is_file():
        return Link(place, "code", "MISSING", f"there is no {script} here any more")
    try:
        now = code_files(ROOT / script, sidecar.parameters.get("plugins", ()))
    except RetrialError as error:
        return Link(place, "code", "MISMATCH", str(error))
    changed = sorted(n for n in now.keys() | code.keys() if _other(n, now, code))
    return _digest_link(place, sidecar, script, f"formatting differs in {_listed(changed)}",
                        f"changed since: {_listed(changed)}")  # fmt: skip


def _digest_link(place: str, sidecar: Sidecar, script: str, equal: str, other: str = "") -> Link:
    """The digest over the code's meaning decides; files of equal bytes are read no further."""
    recorded = sidecar.job.get("code_digest")
    if not other and recorded:
        return Link(place, "code", "RECORDED", f"digest {recorded}: {equal}")
    now = code_digest(ROOT / script, sidecar.parameters.get("plugins", ()))
    if now == recorded:
        return Link(place, "code", "RECORDED", f"digest {now}: {equal}")
    detail = f"digest is {now}, recorded was {recorded}; {other or 'no file differs'}"
    return Link(place, "code", "MISMATCH", detail)


def _other(name: str, now: dict[str, Path], code: dict[str, Any]) -> bool:
    return name not in now or name not in code or digest(now[name]) != code[name]


def _now(name: str) -> str | None:
    """The digest of a file of the closure, by its recorded name (see code_files)."""
    module, _, resource = name.partition("/")
    base = ROOT.joinpath(*module.split(".")) if not name.endswith(".py") else ROOT / name
    places = [base] if name.endswith(".py") else [base.with_suffix(".py"), base / "__init__.py"]
    path = next((p for p in places if p.is_file()), None)
    if path is not None and resource:
        path = path.parent / resource
    return digest(path) if path is not None and path.is_file() else None


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
