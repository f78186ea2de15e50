"""What makes a rule run again: a change of meaning does, touching and formatting don't."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from checkout import Checkout

pytestmark = [pytest.mark.workflow, pytest.mark.model]
AFTER_RATINGS = {"build_table", "render_table", "draw_figure"}
AFTER_ANSWERS = {"rate_answers"} | AFTER_RATINGS
AFTER_EXAMPLES = {"choose_examples", "build_prompts", "ask_judge", "rate_answers"} | {
    "build_table",
    "render_table",
}
"""No figure of this run draws what was asked with chosen examples."""


@contextmanager
def edited(path: Path, text: str) -> Iterator[None]:
    """The file with another text, and afterwards as it was."""
    before, times = path.read_bytes(), path.stat()
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_touching_every_file_reruns_nothing(tiny_run: Checkout) -> None:
    soon = time.time() + 2
    for folder, _, names in os.walk(tiny_run.folder):
        if ".snakemake" in folder or ".cache" in folder:
            continue
        for name in names:
            os.utime(Path(folder) / name, (soon, soon))
    time.sleep(2.1)
    assert tiny_run.planned("tiny") == set()


def test_formatting_every_file_reruns_nothing(tiny_run: Checkout) -> None:
    scripts = sorted((tiny_run.folder / "scripts").rglob("*.py"))
    originals = {path: path.read_text(encoding="utf-8") for path in scripts}
    rules = [tiny_run.folder / "Snakefile", *(tiny_run.folder / "rules").glob("*.smk")]
    originals |= {path: path.read_text(encoding="utf-8") for path in rules}
    try:
        for path in scripts:
            path.write_text(f"# another comment\n\n{originals[path]}\n\n# the end\n")
        ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--line-length", "60"]
        subprocess.run([*ruff, str(tiny_run.folder / "scripts")], check=True)
        snakefmt = [sys.executable, "-m", "snakefmt", "--line-length", "60"]
        subprocess.run([*snakefmt, *map(str, rules)], check=True, cwd=tiny_run.folder)
        changed = [path for path, text in originals.items() if path.read_text() != text]
        assert len(changed) > len(scripts)
        assert tiny_run.planned("tiny") == set()
    finally:
        for path, text in originals.items():
            path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "rerun"),
    [
        ("scoring/logits.py", AFTER_ANSWERS),
        ("metrics/kendall.py", AFTER_RATINGS),
        ("judging/context.py", {"ask_judge", "tune_judge"} | AFTER_ANSWERS),
        ("tuning/loss.py", {"ask_judge", "tune_judge"} | AFTER_ANSWERS),
        ("tables/render/png.py", {"render_table"}),
        ("examples/methods/bm25.py", AFTER_EXAMPLES),
        ("items/readers/uss.py", set()),
        ("judging/backends/base.py", {"ask_judge", "tune_judge"} | AFTER_ANSWERS),
    ],
)
def test_a_changed_helper_reruns_what_uses_it(
    tiny_run: Checkout, module: str, rerun: set[str]
) -> None:
    path = tiny_run.folder / "scripts/retrial" / module
    with edited(path, path.read_text(encoding="utf-8") + "\n\nANOTHER_MEANING = 1\n"):
        assert tiny_run.planned("tiny") == rerun
    assert tiny_run.planned("tiny") == set()


def test_a_new_config_field_reruns_nothing(tiny_run: Checkout) -> None:
    path = tiny_run.folder / "scripts/retrial/config/judges.py"
    text = path.read_text(encoding="utf-8")
    wider = re.sub(
        r"(    context_tokens: PositiveInt = \d+\n)", r"\1    new_field: int = 3\n", text
    )
    assert wider != text
    with edited(path, wider):
        assert tiny_run.planned("tiny") == set()


def test_a_new_backend_reruns_nothing(tiny_run: Checkout) -> None:
    path = tiny_run.folder / "scripts/retrial/judging/backends/another.py"
    path.write_text('"""Another backend."""\n', encoding="utf-8")
    try:
        assert tiny_run.planned("tiny") == set()
    finally:
        path.unlink()


def test_a_faulty_config_is_refused_before_any_job(tiny_run: Checkout) -> None:
    path = tiny_run.folder / "profiles/tiny/overlay.yaml"
    text = path.read_text(encoding="utf-8")
    with edited(
        path, text.replace("table2: {judges: [smollm2-135m]", "table2: {judges: [smollm2-135]")
    ):
        told = tiny_run.snakemake("tiny", "-n", check=False)
    assert "tables.jia2024_table2.judges: no judge named 'smollm2-135'" in told
    assert "did you mean 'smollm2-135m'?" in told
    assert "Job stats" not in told


def test_the_full_config_can_be_planned(tiny_run: Checkout) -> None:
    told = tiny_run.snakemake("default", "-n", "--quiet", "rules", "--cores", "1")
    assert re.search(r"ask_judge\s+116\n", told)
    assert re.search(r"tune_judge\s+10\n", told)
    assert re.search(r"choose_examples\s+28\n", told)
