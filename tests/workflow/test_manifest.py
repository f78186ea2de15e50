"""The manifest of real runs: written last, kept up to date, and what it says of changes."""

import json
from pathlib import Path

import pytest
from checkout import Checkout

pytestmark = pytest.mark.workflow
RELEASED, TARGETS = Path("results/released"), ("all", "report", "manifest")


def sidecar(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(f"{path}.prov.json").read_text(encoding="utf-8"))
    return found


def waited_for(root: Path) -> set[str]:
    inputs = sidecar(root / "MANIFEST.json")["inputs"]
    assert isinstance(inputs, list)
    return {known["path"] for known in inputs}


def made(root: Path) -> set[str]:
    """Every output of the run but the manifest."""
    sidecars = (p.relative_to(root).as_posix() for p in root.rglob("*.prov.json"))
    return {place.removesuffix(".prov.json") for place in sidecars} - {"MANIFEST.json"}


@pytest.mark.realdata
def test_a_released_run_is_sealed_whole_and_is_not_made_twice(released: Checkout) -> None:
    root = released.folder / RELEASED
    assert waited_for(root) == made(root)
    listed = json.loads((root / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    held = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
    crate = {p for p in held if p.startswith("workflow/") or p == "ro-crate-metadata.json"}
    hidden = {p for p in held if any(part.startswith(".") for part in p.split("/"))}
    own = {"MANIFEST.json", "MANIFEST.json.prov.json"}
    assert listed.keys() == held - own - crate - hidden
    job = sidecar(root / "MANIFEST.json")["job"]
    assert isinstance(job, dict) and "retrial.audit.manifest" in job["code"]
    assert "Nothing to be done" in released.snakemake("released", *TARGETS)
    assert released.retrial("manifest", str(RELEASED)).returncode == 0


@pytest.mark.model
def test_a_judged_run_is_sealed_whole(tiny_run: Checkout) -> None:
    tiny_run.snakemake("tiny", *TARGETS)
    root = tiny_run.folder / "results/tiny"
    assert waited_for(root) == made(root)
    listed = json.loads((root / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    assert not [p for p in listed if p.split("/")[0] in ("store", "benchmarks")]
    assert tiny_run.retrial("verify", "--quick", "results/tiny").returncode == 0
    assert tiny_run.planned("tiny", "--", *TARGETS) == set()


@pytest.mark.realdata
def test_a_table_that_is_made_again_is_sealed_again(released: Checkout) -> None:
    table = released.folder / RELEASED / "tables/chiang2023_table5.csv"
    before = (released.folder / RELEASED / "MANIFEST.json.prov.json").read_bytes()
    table.unlink()
    said = released.retrial("manifest", str(RELEASED))
    assert said.returncode == 1
    assert "MISSING  tables/chiang2023_table5.csv: " in said.stdout
    assert "manifest" in released.planned("released", "--", *TARGETS)
    released.snakemake("released", *TARGETS)
    assert (released.folder / RELEASED / "MANIFEST.json.prov.json").read_bytes() != before
    assert released.retrial("manifest", str(RELEASED)).returncode == 0


@pytest.mark.realdata
def test_a_sidecar_that_is_written_again_is_sealed_again(released: Checkout) -> None:
    """The ratings stay the same to the byte, so that no table is made again."""
    place = RELEASED / "ratings/human/chiang2023-stories.parquet"
    released.snakemake("released", str(place), "--forcerun", "build_items")
    said = released.retrial("manifest", str(RELEASED)).stdout
    assert f"MISMATCH  {place.relative_to(RELEASED)}.prov.json: changed" in said
    assert "manifest" in released.planned("released", "--", *TARGETS)
    released.snakemake("released", *TARGETS)
    assert released.retrial("manifest", str(RELEASED)).returncode == 0
    assert released.planned("released", "--", *TARGETS) == set()
