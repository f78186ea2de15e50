"""One operator of the library changed in a copy of it, and what that copy says of a folder."""

import ast
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from mutation_bench import Bench, Uses

from retrial.code_digest import ROOT

OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
SCRIPT = """
import json, sys
from pathlib import Path
from mutation_check import audit
from retrial.audit.verify import verify
root, names = Path(sys.argv[1]), json.loads(sys.argv[2])
told = [f"{x.file}: {x.what}: {x.detail}" for x in verify(root) if x.broken]
print(json.dumps({"verify": told, "audit": {name: audit(root, name) for name in names}}))
"""


@dataclass(frozen=True)
class CodeOutcome:
    """What the changed library says: broken links of verify, and of the audits of cells."""

    module: str
    verify: list[str]
    hit: list[str] | None
    spared: list[str] | None

    @property
    def good(self) -> bool:
        """Whether the module is named, and only where it ran."""
        named = [any(self.module in line for line in lines)
                 for lines in (self.verify, self.hit) if lines is not None]  # fmt: skip
        return all(named) and not self.spared


def copy_library(folder: Path) -> Path:
    """The scripts and the library, to be changed; templates and sources are linked."""
    shutil.copytree(ROOT, folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("data", "envs"):
        (folder / name).symlink_to(ROOT.parent / name)
    return folder / "scripts"


def modules_with_operators(scripts: Path, package: str) -> list[str]:
    """Modules of a package that hold an operator to change."""
    paths = sorted((scripts / package).rglob("*.py"))
    return [
        path.relative_to(scripts).with_suffix("").as_posix().replace("/", ".")
        for path in paths
        if _operators(ast.parse(path.read_text("utf-8")))
    ]


def _operators(tree: ast.Module) -> list[ast.BinOp]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and type(n.op) in OTHER]


def try_code(
    bench: Bench, uses: Uses, scripts: Path, module: str, random: Random
) -> CodeOutcome | None:
    """Change an operator of a module, ask, and put it back; None where nothing ran the module."""
    ran = {p for p in bench.places if module in (bench.sidecar(p)["job"].get("code") or {})}
    if not ran:
        return None
    hit, spared = _cells(bench, uses, ran)
    names = [random.choice(sorted(group)) if group else None for group in (hit, spared)]
    path = scripts.joinpath(*module.split(".")).with_suffix(".py")
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    node = random.choice(_operators(tree))
    node.op = OTHER[type(node.op)]()
    path.write_text(ast.unparse(tree), encoding="utf-8")
    try:
        told = _ask(bench.root, scripts, [name for name in names if name])
    finally:
        path.write_text(text, encoding="utf-8")
    lines = [told["audit"][name] if name else None for name in names]
    return CodeOutcome(module, told["verify"], lines[0], lines[1])


def _cells(bench: Bench, uses: Uses, ran: set[str]) -> tuple[set[str], set[str]]:
    """Cells of whose chain some job ran the module, and cells of whose chain none did."""
    hit: set[str] = set()
    for place in ran:
        if place.startswith("tables/") and place.endswith(".parquet"):
            hit |= uses.of_table(Path(place).stem)
        elif place.startswith(("ratings/", "answers/", "prompts/", "examples/")):
            hit |= set().union(*(uses.by_file[p] for p in bench.made_from(place)))
    reached = set().union(*(bench.made_from(place) for place in ran))
    touched = set().union(*(uses.of_table(Path(p).stem) for p in reached if "tables/" in p))
    return hit, uses.names - hit - touched


def _ask(root: Path, scripts: Path, names: list[str]) -> dict[str, dict[str, list[str]]]:
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(scripts), here]),
                   "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
    command = [sys.executable, "-c", SCRIPT, str(root), json.dumps(names)]
    done = subprocess.run(command, env=environment, cwd=scripts.parent, capture_output=True,
                          text=True)  # fmt: skip
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return {"verify": last, "audit": dict.fromkeys(names, last)}  # type: ignore[dict-item]
    found: dict[str, dict[str, list[str]]] = json.loads(done.stdout.splitlines()[-1])
    return found
