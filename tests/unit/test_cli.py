"""The command line: what it says and how it ends, where tests of the library don't look."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from core_rows import cell, write
from typer.testing import CliRunner

from retrial.audit.find_cell import find_cell
from retrial.audit.states import summary
from retrial.audit.verify import verify
from retrial.cli import app
from retrial.commands.audit import home_of
from retrial.commands.complete import complete_cell
from retrial.record import Run

HEAVY = ("torch", "transformers", "pandas", "pyarrow", "scipy", "numpy", "snakemake", "matplotlib",
         "rocrate", "retrial.audit", "retrial.exchange", "retrial.metrics")  # fmt: skip
ROWS = ("CCPE / Zero-shot", "CCPE / BM25-4", "CCPE / Random-1 (mean rating)")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with one table in results and another one in results/demo."""
    monkeypatch.chdir(tmp_path)
    for root, table in (("results", "jia2024_table2"), ("results/demo", "jia2024_table4")):
        cells = [
            {**cell(row, column), "table": table, "row_order": place}
            for place, row in enumerate(ROWS)
            for column in ("spearman", "pearson")
        ]
        write(Path(root), f"tables/{table}.parquet", "cells", *cells)
    return tmp_path


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; import retrial.cli; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "retrial.cli" in loaded and "typer" in loaded
    assert not [name for name in loaded if name.startswith(HEAVY)]


def test_every_command_is_there_and_explained() -> None:
    run = CliRunner()
    for name in (
        "verify",
        "audit",
        "plan",
        "manifest",
        "crate",
        "bundle",
        "ingest-ratings",
        "parse",
        "check-table",
    ):
        told = run.invoke(app, [name, "--help"])
        assert told.exit_code == 0, name
    listed = run.invoke(app, ["--help"])
    assert listed.exit_code == 0 and "manifest" in listed.stdout


def test_verify_counts_what_was_not_checked_apart(here: Path) -> None:
    outside = here / "data" / "raw" / "s" / "f"
    outside.parent.mkdir(parents=True)
    outside.write_text("as downloaded")
    run = Run("build_items", Path("results"), (Path("data/raw/s/f"),))
    run.write_text(Path("results/tables/a_b.csv"), "1")
    whole = CliRunner().invoke(app, ["verify", "results", "--quick"])
    assert whole.exit_code == 0 and "not checked" not in whole.stdout
    outside.unlink()
    lacking = CliRunner().invoke(app, ["verify", "results", "--quick"])
    assert lacking.exit_code == 0 and "1 not checked; 0 broken" in lacking.stdout
    Path("results/tables/a_b.csv").write_text("2")
    damaged = CliRunner().invoke(app, ["verify", "results", "--quick"])
    assert damaged.exit_code == 1
    assert "MISMATCH  tables/a_b.csv: output: " in damaged.stdout
    assert damaged.stdout.rstrip().endswith(summary(verify(Path("results"), quick=True)))


@pytest.mark.parametrize(
    "arguments",
    [["verify", "nowhere"], ["manifest", "nowhere"], ["audit", "x[y].z"], ["crate", "nowhere"],
     ["bundle", "nowhere"], ["audit", "jia2024_table2[CCPE / Zero-shot].spearman", "--diff", "no"]],
)  # fmt: skip
def test_a_users_error_is_one_line_without_a_traceback(here: Path, arguments: list[str]) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith("retrial: ") and "Traceback" not in done.output
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "typed",
    ["", "jia2024_table2", "jia2024_table2[", "JIA2024_Table2[ccpe/bm", "jia2024_table2[CCPE / BM",
     "jia2024_table2[ccpe,bm25-4].s", "jia2024_table2[CCPE / Random-1 (mean rating)].pear"],
)  # fmt: skip
def test_a_completed_name_begins_as_typed_and_is_found(here: Path, typed: str) -> None:
    found = complete_cell(None, typed)
    assert found and len(set(found)) == len(found)
    for name in found:
        assert name.startswith(typed)
        root = home_of(name)
        assert find_cell(root, name).row in ROWS
    if typed:
        assert all(str(find_cell(Path("results"), n)).startswith("jia2024_table2[") for n in found)


def test_names_are_completed_in_one_word_until_a_space_is_typed(here: Path) -> None:
    assert not [name for name in complete_cell(None, "jia2024_table2[CCPE/R") if " " in name]
    assert complete_cell(None, "jia2024_table2[CCPE / R")[0].count(" ") > 2


def test_completion_stays_quiet_where_nothing_can_be_read(here: Path) -> None:
    Path("results/tables/broken.parquet").write_bytes(b"damaged")
    assert complete_cell(None, "broken") == []
    assert complete_cell(None, "nothing like this") == []
    assert complete_cell(None, "jia2024_table2[")


def test_the_shell_gets_the_names(here: Path) -> None:
    """Through the protocol that typer's scripts for bash speak."""
    code = "from retrial.cli import app; app(prog_name='retrial')"
    words = "retrial audit --root results/demo 'jia2024_table4[CCPE / Z"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path), "_RETRIAL_COMPLETE": "complete_bash",
             "COMP_WORDS": words, "COMP_CWORD": "4"},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "jia2024_table4[CCPE / Zero-shot].spearman",
        "jia2024_table4[CCPE / Zero-shot].pearson",
    ]


def test_a_table_is_looked_for_in_the_one_root_that_has_it(here: Path) -> None:
    assert home_of("jia2024_table2[CCPE / Zero-shot].spearman") == Path("results")
    assert home_of("jia2024_table4[CCPE / Zero-shot].spearman") == Path("results/demo")
    assert home_of("no such cell") == Path("results")


def test_values_are_found_in_every_root_near(here: Path) -> None:
    printed = f"{cell()['value']:.2f}"
    done = CliRunner().invoke(app, ["audit", "--value", printed])
    assert done.exit_code == 0
    assert "in results/demo" in done.stdout and "jia2024_table2[" in done.stdout
    own = CliRunner().invoke(app, ["audit", "--value", printed, "--root", "results"])
    assert "results/demo" not in own.stdout


def test_json_of_a_broken_cell_is_one_object_and_fails(here: Path) -> None:
    """The table has a sidecar, but nothing that its cells could be made from."""
    asked = ["audit", "jia2024_table2[CCPE / Zero-shot].spearman", "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["broken"] is True, (done.output, done.exception)
