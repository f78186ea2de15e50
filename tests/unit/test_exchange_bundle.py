"""Bundles of a run made through the library: they verify elsewhere, and no byte changes unseen."""

import json
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from exchange_jobs import CHECKOUT
from exchange_root import Project, add_manifest, bundled, files_of, make_project
from typer.testing import CliRunner

from retrial.audit.manifest import MANIFEST
from retrial.audit.states import Link
from retrial.cli import app
from retrial.errors import RetrialError
from retrial.exchange.archive import pack, unpack
from retrial.exchange.bundle import Bundle, explain, make_bundle
from retrial.exchange.crate import CRATE
from retrial.exchange.seal import SEAL, read_seal
from retrial.exchange.verify import verify_any
from retrial.record import Run

FLIPS = 30
ELSEWHERE = """
import socket, sys
def refuse(*a, **k): raise AssertionError("the network was used")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "transformers", "rocrate", "snakemake"): raise ImportError(name)
sys.meta_path.insert(0, Absent())
from retrial.cli import app
app(["verify", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = make_project(tmp_path_factory.mktemp("exchange") / "project")
    add_manifest(made)
    return made


@pytest.fixture(scope="module")
def bundle(project: Project) -> Bundle:
    return bundled(project, "whole.zip")


@pytest.fixture
def unpacked(bundle: Bundle, tmp_path: Path) -> Path:
    (tmp_path / "unpacked").mkdir()
    unpack(bundle.archive, tmp_path / "unpacked")
    return tmp_path / "unpacked"


def broken(place: Path, quick: bool = True) -> list[Link]:
    return [link for link in verify_any(place, quick=quick) if link.broken]


def verified_elsewhere(archive: Path, folder: Path) -> str:
    """What `retrial verify` says in a fresh folder, without network, models or workflow engine."""
    moved = folder / "elsewhere" / "received.zip"
    moved.parent.mkdir()
    shutil.copy(archive, moved)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, moved.name],
        cwd=moved.parent,
        env={"PYTHONPATH": str(CHECKOUT / "scripts"), "HOME": str(moved.parent), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(moved.parent.iterdir()) == [moved]
    return done.stdout


def test_it_verifies_elsewhere(bundle: Bundle, tmp_path: Path) -> None:
    assert " VERIFIED" in (said := verified_elsewhere(bundle.archive, tmp_path))
    assert "0 broken" in said


@pytest.mark.realdata
def test_a_run_on_a_real_source_verifies_elsewhere(mirror: Path, tmp_path: Path) -> None:
    made = make_project(tmp_path / "project", mirror / "uss" / "CCPE.txt")
    for name, without in (("whole", False), ("without", True)):
        (tmp_path / name).mkdir()
        found = bundled(made, f"{name}.zip", withhold_texts=without)
        assert "0 broken" in verified_elsewhere(found.archive, tmp_path / name)


def test_it_recomputes_what_the_folder_recomputes(project: Project, bundle: Bundle) -> None:
    def verified(place: Path) -> set[tuple[str, str]]:
        return {(k.file, k.what) for k in verify_any(place) if k.state == "VERIFIED"}

    packing = {(SEAL, "bundle"), (bundle.archive.name, "packing")}
    assert verified(bundle.archive) == verified(project.root) | packing
    assert ("tables/jia2024_table2.parquet", "cells recomputed") in verified(project.root)


def test_it_holds_every_file_and_no_more(project: Project, bundle: Bundle, unpacked: Path) -> None:
    wanted = {p.relative_to(project.root).as_posix() for p in files_of(project.root)}
    held = {p.relative_to(unpacked).as_posix() for p in files_of(unpacked)}
    assert wanted <= held and MANIFEST in held
    assert {p.split("/")[0] for p in held - wanted} == {"data", "workflow", SEAL, CRATE}
    assert not any(p.startswith("data/raw") for p in held)
    assert held == bundle.seal.files.keys() | {SEAL}


def test_the_same_folder_gives_the_same_bytes(project: Project, bundle: Bundle) -> None:
    assert bundled(project, "again.zip").sha256 == bundle.sha256


def test_flipped_bytes_of_members_are_named(bundle: Bundle, unpacked: Path, tmp_path: Path) -> None:
    names = sorted([*bundle.seal.files, SEAL])
    generator = random.Random(30)
    for _ in range(FLIPS):
        name = generator.choice(names)
        whole = (unpacked / name).read_bytes()
        damaged = bytearray(whole)
        damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
        (unpacked / name).write_bytes(bytes(damaged))
        again = tmp_path / "damaged.zip"
        pack({place: unpacked / place for place in names}, again)
        try:
            said = {link.file for link in broken(again)}
        except RetrialError as error:
            said = {str(error).split(":")[0]}
        assert name in said, name
        (unpacked / name).write_bytes(whole)
    assert not broken(unpacked)


def test_no_flipped_byte_of_the_archive_goes_unseen(bundle: Bundle, tmp_path: Path) -> None:
    whole, generator = bundle.archive.read_bytes(), random.Random(31)
    with zipfile.ZipFile(bundle.archive) as archive:
        starts = [(info.header_offset, info.filename) for info in archive.infolist()]
    damaged_archive = tmp_path / "damaged.zip"
    for _ in range(FLIPS):
        place = generator.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[place] ^= 1 << generator.randrange(8)
        damaged_archive.write_bytes(bytes(damaged))
        try:
            said = " ".join(f"{link.file} {link.detail}" for link in broken(damaged_archive))
        except RetrialError as error:
            said = str(error)
        assert said, place
        member = [name for start, name in starts if start <= place][-1]
        if place < starts[-1][0]:
            assert member in said, (member, said)


def test_files_added_or_taken_away_are_named(unpacked: Path) -> None:
    (unpacked / "tables" / "extra.txt").write_text("x")
    (unpacked / "data" / "published" / "jia2024_table1.csv").unlink()
    named = {(link.file, link.state) for link in broken(unpacked)}
    assert ("tables/extra.txt", "MISMATCH") in named
    assert ("data/published/jia2024_table1.csv", "MISSING") in named


def test_a_seal_rewritten_after_a_change_still_leaves_the_record(unpacked: Path) -> None:
    place = "ratings/human/uss-ccpe.parquet"
    (unpacked / place).write_bytes((unpacked / place).read_bytes() + b"x")
    text = (unpacked / SEAL).read_text().replace('"retrial": "', '"retrial": "9')
    (unpacked / SEAL).write_text(text)
    with pytest.raises(RetrialError, match=f"{SEAL}.*changed"):
        read_seal(unpacked / SEAL)
    (unpacked / SEAL).unlink()
    assert place in {link.file for link in broken(unpacked)}


def test_limited_sources_are_named(bundle: Bundle) -> None:
    (one,) = bundle.seal.sources
    assert (one.source, one.licence) == ("uss", "none stated")
    assert any("uss" in line and "ask before" in line for line in explain(bundle))


@pytest.fixture
def own(project: Project, tmp_path: Path) -> Project:
    shutil.copytree(project.folder, tmp_path / "own", ignore=shutil.ignore_patterns("*.zip"))
    return Project(tmp_path / "own")


def test_weights_stay_behind_and_break_nothing(own: Project) -> None:
    for path in own.root.glob(f"{MANIFEST}*"):
        path.unlink()
    run = Run("tune_judge", own.root)
    run.write_bytes(own.root / "adapters/dice/adapter_model.safetensors", b"weights")
    made = bundled(own, "b.zip")
    place = "adapters/dice/adapter_model.safetensors"
    assert place in made.seal.withheld and place not in made.seal.files
    assert not broken(made.archive)


def test_a_secret_keeps_a_bundle_from_being_made(own: Project) -> None:
    Run("x", own.root, parameters={"note": "hf_" + "a1" * 20}).write_text(
        own.root / "tables" / "a_b.csv", "1\n"
    )
    with pytest.raises(RetrialError, match=r"a_b\.csv\.prov\.json.*secret"):
        bundled(own, "b.zip")
    assert not (own.folder / "b.zip").exists()


def test_a_link_keeps_a_bundle_from_being_made(own: Project) -> None:
    (own.root / "tables" / "passwd.csv").symlink_to("/etc/passwd")
    with pytest.raises(RetrialError, match=r"passwd\.csv: a link"):
        bundled(own, "b.zip")


def test_a_bundle_is_not_written_into_itself(own: Project) -> None:
    with pytest.raises(RetrialError, match="elsewhere"):
        make_bundle(own.root, own.root / "tables" / "b.zip", data=own.data)


def test_the_commands(own: Project, tmp_path: Path) -> None:
    runner, archive = CliRunner(), tmp_path / "b.zip"
    done = runner.invoke(app, ["bundle", str(own.root), "--output", str(archive)])
    assert done.exit_code == 0 and "none stated" in done.output
    assert runner.invoke(app, ["verify", str(archive), "--quick"]).exit_code == 0
    archive.write_bytes(archive.read_bytes()[:-100])
    done = runner.invoke(app, ["verify", str(archive)])
    assert done.exit_code == 1 and "cut short" in done.output
    done = runner.invoke(app, ["crate", str(own.root)])
    assert done.exit_code == 0 and json.loads((own.root / CRATE).read_text())["@graph"]
