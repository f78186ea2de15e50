"""The manifest: what it seals, the digest over it, and every change by name."""

import hashlib
import json
from pathlib import Path

import pytest
from core_rows import item, write
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from retrial.audit.manifest import (
    MANIFEST,
    Entry,
    check_manifest,
    make_manifest,
    read_manifest,
    root_digest,
    write_manifest,
)
from retrial.audit.sidecars import open_folder
from retrial.audit.verify import verify
from retrial.cli import app
from retrial.errors import RetrialError
from retrial.record import Run

PATHS = st.from_regex(r"[a-c]{1,2}(/[a-c]{1,2}){0,2}\.p", fullmatch=True)
ENTRIES = st.builds(Entry, st.sampled_from(["a" * 64, "b" * 64, "c" * 64]), st.integers(0, 9))
UNSEALED = ("store/j/a.parquet", "work/x/checkpoint", "logs/a.log", "benchmarks/a.tsv",
            "tables/.a.part", "BUNDLE.json", "ro-crate-metadata.json", "workflow/Snakefile",
            "data/sources.yaml")  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two results, a page of a report, and files that are no results."""
    folder = tmp_path / "results"
    write(folder, "items/d.parquet", "items", item("i1"))
    Run("render_table", folder).write_text(folder / "tables/a_b.csv", "1,2\n")
    for place in (*UNSEALED, "report/cells/one.html"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(place)
    write_manifest(folder, Run("manifest", folder))
    return folder


def broken(root: Path) -> dict[str, str]:
    """File -> what is said of it."""
    links = list(check_manifest(open_folder(root)))
    return {k.file: f"{k.state} {k.detail.split(':')[0]}" for k in links if k.broken}


def test_it_lists_results_by_digest_and_size_and_nothing_else(root: Path) -> None:
    content = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    expected = {"items/d.parquet", "items/d.parquet.prov.json", "tables/a_b.csv",
                "tables/a_b.csv.prov.json", "report/cells/one.html"}  # fmt: skip
    assert content["files"].keys() == expected
    assert list(content["files"]) == sorted(expected)
    for place, entry in content["files"].items():
        data = (root / place).read_bytes()
        assert entry == {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    assert not broken(root)


def test_the_root_digest_is_that_of_a_tree_worked_by_hand() -> None:
    def sha(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    one, two = "1" * 64, "2" * 64
    inner = sha(f"{one}  3  x.csv\n")
    expected = sha(f"{inner}  tables/\n{two}  5  top.json\n")
    files = {"top.json": Entry(two, 5), "tables/x.csv": Entry(one, 3)}
    assert root_digest(files) == expected


@given(st.dictionaries(PATHS, ENTRIES, min_size=1, max_size=5), PATHS, ENTRIES)
def test_any_other_file_or_digest_gives_another_root(
    files: dict[str, Entry], path: str, entry: Entry
) -> None:
    backwards = dict(sorted(files.items(), reverse=True))
    assert root_digest(backwards) == root_digest(files)
    changed = {**files, path: entry}
    assert (root_digest(changed) == root_digest(files)) == (changed == files)


def test_changed_missing_and_new_files_are_told_apart(root: Path) -> None:
    (root / "tables/a_b.csv").write_text("1,3\n")
    (root / "report/cells/one.html").unlink()
    (root / "figures").mkdir()
    (root / "figures/new.png").write_text("new")
    (root / "tables/a_b.csv.prov.json").write_text("{}")
    assert broken(root) == {
        "tables/a_b.csv": "MISMATCH changed",
        "tables/a_b.csv.prov.json": "MISMATCH changed",
        "report/cells/one.html": "MISSING the manifest lists it",
        "figures/new.png": "MISMATCH new",
    }


def test_what_is_not_sealed_may_change(root: Path) -> None:
    before = make_manifest(open_folder(root))
    for place in UNSEALED:
        (root / place).write_text("other")
    (root / "store/j/b.parquet").write_text("more")
    assert make_manifest(open_folder(root)) == before
    assert not broken(root)


def test_a_root_inside_is_left_alone_and_has_its_own(root: Path) -> None:
    inner = root / "demo"
    Run("render_table", inner).write_text(inner / "tables/c_d.csv", "3\n")
    (inner / "store").mkdir()
    assert not broken(root)
    write_manifest(inner, Run("manifest", inner))
    assert "tables/c_d.csv" in read_manifest(inner).files
    assert not broken(root) and not broken(inner)
    (inner / "tables/c_d.csv").write_text("4\n")
    assert not broken(root) and broken(inner)


def test_it_moves_with_its_folder(root: Path, tmp_path: Path) -> None:
    moved = root.rename(tmp_path / "moved")
    assert not broken(moved)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"bytes": 4', '"bytes": 5'), ('"tables/a_b.csv":', '"tables/a_c.csv":')],
)
def test_a_changed_manifest_does_not_fit_its_own_digest(root: Path, old: str, new: str) -> None:
    text = (root / MANIFEST).read_text(encoding="utf-8")
    assert old in text
    (root / MANIFEST).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert broken(root)[MANIFEST].startswith("MISMATCH")


@pytest.mark.parametrize("text", ["{", "[]", '{"files": {"a": 1}}', '{"files": {}}', "\x00"])
def test_what_is_no_manifest_is_told_in_one_line(root: Path, text: str) -> None:
    (root / MANIFEST).write_text(text)
    with pytest.raises(RetrialError, match="not a manifest"):
        read_manifest(root)
    assert list(broken(root)) == [MANIFEST]


def test_verify_holds_it_in_one_link_when_all_is_well(root: Path) -> None:
    own = [k for k in verify(root, quick=True) if k.what in ("files", "root digest")]
    assert [(k.file, k.state) for k in own] == [(MANIFEST, "VERIFIED"), (MANIFEST, "RECORDED")]
    (root / "report/cells/one.html").write_text("other")
    said = [k.what for k in verify(root, quick=True) if k.file == "report/cells/one.html"]
    assert "manifest" in said


def test_the_command_prints_the_digest_and_exits_by_what_it_finds(root: Path) -> None:
    (root / "BUNDLE.json").unlink()  # a seal that is none is an error of its own
    run = CliRunner()
    good = run.invoke(app, ["manifest", str(root)])
    assert good.exit_code == 0
    assert read_manifest(root).root_sha256 in good.stdout and "all files" in good.stdout
    (root / "tables/a_b.csv").write_text("1,3\n")
    bad = run.invoke(app, ["manifest", str(root)])
    assert bad.exit_code == 1 and "MISMATCH  tables/a_b.csv: changed" in bad.stdout
    (root / MANIFEST).unlink()
    none = run.invoke(app, ["manifest", str(root)])
    assert none.exit_code == 1 and "there is no manifest" in none.stderr
