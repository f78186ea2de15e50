"""Environments, locks and rules say the same."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RULES = sorted([*(ROOT / "rules").glob("*.smk"), ROOT / "Snakefile"])
TARGETS = {"all", "forms"}
"""Rules that only name targets run nothing."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lines) -> dict[str, str]:
    kept = (line.split("#")[0].strip() for line in lines)
    return {normal(n): v for n, _, v in (line.partition("==") for line in kept if line)}


def locked() -> dict[str, str]:
    return pins((ROOT / "envs" / "retrial.lock").read_text().splitlines())


def environment() -> dict[str, str]:
    spec = yaml.safe_load((ROOT / "envs" / "retrial.yaml").read_text())
    return pins(next(d["pip"] for d in spec["dependencies"] if isinstance(d, dict)))


def declared() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    split = (re.match(r"([A-Za-z0-9._-]+)(.*)", d) for d in project["dependencies"])
    return {normal(m[1]): m[2] for m in split if m}


def test_the_environment_has_the_versions_of_the_lock():
    lock = locked()
    assert {n: v for n, v in environment().items() if lock.get(n) != v} == {}


def test_the_environment_covers_what_the_project_depends_on():
    assert environment().keys() == declared().keys()


def test_the_lock_is_inside_the_declared_ranges():
    version, specifiers = pytest.importorskip("packaging.version"), "packaging.specifiers"
    ranges = pytest.importorskip(specifiers)
    lock = locked()
    outside = {
        name: lock[name]
        for name, wanted in declared().items()
        if version.Version(lock[name]) not in ranges.SpecifierSet(wanted)
    }
    assert outside == {}


def rules_of(path: Path) -> dict[str, str]:
    """The text of each rule of a file, by its name."""
    parts = re.split(r"^( *)(?:rule|checkpoint)(?: (\w+))?:", path.read_text(), flags=re.MULTILINE)
    texts = zip(parts[2::3], parts[3::3], strict=True)
    return {name or f"unnamed-{i}": _body(text) for i, (name, text) in enumerate(texts)}


def _body(text: str) -> str:
    """Up to the next line at the left margin, which is no longer of the rule."""
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if i and line and line[0] != " "), len(lines))
    return "\n".join(lines[:end]).rstrip()


RULE_TEXTS = [(p.name, name, text) for p in RULES for name, text in rules_of(p).items()]
RUNNING = [(f, n, t) for f, n, t in RULE_TEXTS if n not in TARGETS]


def test_the_rules_were_found():
    assert len(RUNNING) >= 8


@pytest.mark.parametrize(("file", "name", "text"), RUNNING, ids=[f"{f}:{n}" for f, n, _ in RUNNING])
def test_every_rule_names_environment_log_and_code(file, name, text):
    for directive in ("conda:", "log:", "script:", "code="):
        assert directive in text, f"{file}: rule {name} has no {directive}"
    assert "retries:" not in text, f"{file}: rule {name}: retries live in the profile"
    assert "SCRIPT_ENV" in text


def test_the_environment_file_that_rules_name_exists():
    common = (ROOT / "rules" / "common.smk").read_text()
    named = re.search(r'^SCRIPT_ENV = "(.+)"$', common, re.MULTILINE)
    assert named and (ROOT / "rules" / named[1]).is_file()


@pytest.mark.parametrize("path", RULES, ids=lambda p: p.name)
def test_a_rules_file_opens_with_what_it_is(path):
    assert path.read_text().startswith("# ")


def test_the_library_uses_absolute_imports_only():
    """The closure of a rule's code follows absolute imports."""
    relative = [
        path.name
        for path in (ROOT / "scripts").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_the_default_profile_holds_only_what_must_hold_for_every_run():
    """It is stronger than the profile on the command line."""
    default = yaml.safe_load((ROOT / "profiles" / "default" / "config.yaml").read_text())
    assert default.keys() == {"rerun-triggers", "rerun-incomplete", "max-checksum-file-size"}
    assert "code" not in default["rerun-triggers"]


def test_no_profile_keeps_incomplete_outputs():
    for path in (ROOT / "profiles").glob("*/config*.yaml"):
        assert "keep-incomplete" not in yaml.safe_load(path.read_text()), path
