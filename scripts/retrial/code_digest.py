"""The digest of the code that a rule runs, so that a changed helper reruns what uses it.

The imports of a script are followed through the `retrial` package without importing
anything. Comments, docstrings and formatting don't count. The closure stops at modules that
every rule uses and whose versions are recorded otherwise, and a registry is not followed:
the caller names the one plugin that is configured.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from retrial.digest import sha256_file
from retrial.errors import RetrialError

PACKAGE = "retrial"
ROOT = Path(__file__).parent.parent
STOPS = ("retrial.config", "retrial.record", "retrial.cli", "retrial.progress",
         "retrial.errors", "retrial.code_digest", "retrial.job_lock")  # fmt: skip
RESOURCES = (".j2", ".css", ".js", ".json", ".yaml", ".csv")


def code_files(script: Path, plugins: Iterable[str] = ()) -> dict[str, Path]:
    """Every file of the closure by module name; the script itself under its file name.

    Files that lie beside a module and that it names (page templates) belong to it. Raises
    RetrialError for a plugin that no module is written for.
    """
    found: dict[str, Path] = {}
    for plugin in (plugins := list(plugins)):
        if _module_path(plugin) is None:
            raise RetrialError(f"config: there is no module {plugin}; see the files beside it")
    waiting = [*_imports(script), *plugins]
    while waiting:
        module = waiting.pop()
        path = _module_path(module)
        if path is None or module in found or _stops(module):
            continue
        found[module] = path
        found.update({f"{module}/{name}": path.parent / name for name in _resources(path)})
        waiting.extend(_imports(path))
    return {script.name: script, **dict(sorted(found.items()))}


def code_digest(script: Path, plugins: Iterable[str] = ()) -> str:
    """One digest over the meaning of all files of the closure (16 hexadecimal digits)."""
    total = hashlib.sha256()
    for name, path in code_files(script, plugins).items():
        total.update(f"{name}:{_meaning(path)}\n".encode())
    return total.hexdigest()[:16]


def _stops(module: str) -> bool:
    return any(module == stop or module.startswith(stop + ".") for stop in STOPS)


def _module_path(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_imported(_tree(path)))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == PACKAGE)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
            yield str(node.module)
            yield from (f"{node.module}.{a.name}" for a in node.names)


@cache
def _resources(path: Path) -> tuple[str, ...]:
    """Names of files in the module's folder that stand in it as whole strings."""
    constants = (n.value for n in ast.walk(_tree(path)) if isinstance(n, ast.Constant))
    names = {c for c in constants if isinstance(c, str) and c.endswith(RESOURCES)}
    return tuple(sorted(name for name in names if (path.parent / name).is_file()))


@cache
def _meaning(path: Path) -> str:
    if path.suffix != ".py":
        return sha256_file(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not _is_docstring(s)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
