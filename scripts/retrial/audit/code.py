"""Whether the code that made an output is the code that is here now."""

from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar, digest
from retrial.audit.states import Link
from retrial.code_digest import ROOT, code_digest, code_files
from retrial.errors import RetrialError

NAMED = 8


def code_link(sidecar: Sidecar, *, deep: bool = True) -> Link:
    """RECORDED when the recorded code runs here too, formatting and comments aside.

    MISMATCH names the files that changed: what was recomputed was recomputed with other code.
    Without `deep`, files that are the same to the byte are not parsed again for the digest.
    """
    place, code = sidecar.place, sidecar.job.get("code") or {}
    recorded = sidecar.job.get("code_digest")
    script = next((name for name in code if name.endswith(".py") and "/" not in name), None)
    if script is None:
        return Link(place, "code", "MISSING", "the sidecar names no code")
    if not (ROOT / script).is_file():
        return Link(place, "code", "MISSING", f"there is no {script} here any more")
    if not deep and all(_now(name) == known for name, known in code.items()):
        return Link(place, "code", "RECORDED", f"digest {recorded}: every file is the same")
    return _by_meaning(place, sidecar, script, code, recorded)


def _by_meaning(
    place: str, sidecar: Sidecar, script: str, code: dict[str, Any], recorded: Any
) -> Link:
    plugins = sidecar.parameters.get("plugins", ())
    try:
        files = code_files(ROOT / script, plugins)
        now = code_digest(ROOT / script, plugins)
    except RetrialError as error:
        return Link(place, "code", "MISMATCH", str(error))
    changed = [n for n in sorted(files.keys() | code.keys()) if _other(n, files, code)]
    if now == recorded:
        what = f"only formatting differs: {_listed(changed)}" if changed else "the same"
        return Link(place, "code", "RECORDED", f"digest {now}: {what}")
    what = f"changed since: {_listed(changed)}" if changed else "though no file differs"
    return Link(place, "code", "MISMATCH", f"digest is {now}, recorded was {recorded}; {what}")


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
