"""Bundles without the sources' texts: what does not need them still verifies."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from core_rows import cell, write
from exchange_root import SECRET_SENTENCE, Project, bundled, files_of, make_project

from retrial.exchange.archive import unpack
from retrial.exchange.bundle import Bundle
from retrial.exchange.verify import verify_any
from retrial.record import Run


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("withheld") / "project")


@pytest.fixture(scope="module")
def without(project: Project) -> Bundle:
    return bundled(project, "without.zip", withhold_texts=True)


def unpacked(bundle: Bundle, folder: Path) -> Path:
    folder.mkdir()
    unpack(bundle.archive, folder)
    return folder


def broken(place: Path) -> set[str]:
    return {link.file for link in verify_any(place, quick=True) if link.broken}


def texts_in(folder: Path) -> str:
    held = []
    for path in files_of(folder):
        if path.suffix == ".parquet":
            held.append(str(pq.read_table(path).to_pylist()))
        else:
            held.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(held)


def test_texts_are_gone_and_the_numbers_still_verify(
    project: Project, without: Bundle, tmp_path: Path
) -> None:
    whole = bundled(project, "whole.zip")
    assert SECRET_SENTENCE in texts_in(unpacked(whole, tmp_path / "whole"))
    assert SECRET_SENTENCE not in texts_in(unpacked(without, tmp_path / "without"))
    links = list(verify_any(without.archive))
    assert not [link for link in links if link.broken]
    verified = {link.file for link in links if link.state == "VERIFIED"}
    assert "tables/jia2024_table2.parquet" in verified
    assert "ratings/dice/uss-ccpe/in-context.parquet" in verified
    assert not verified & without.seal.withheld.keys()


def test_the_seal_says_what_is_withheld(without: Bundle) -> None:
    columns = {place.split("/")[0]: one.columns for place, one in without.seal.withheld.items()}
    assert columns == {
        "items": ("turns",),
        "prompts": ("turns", "examples.turns"),
        "answers": ("prompt_text",),
    }


def test_a_change_in_a_withheld_file_is_named(
    project: Project, without: Bundle, tmp_path: Path
) -> None:
    folder = unpacked(without, tmp_path / "without")
    shutil.copy(project.root / "items/uss-ccpe.parquet", folder / "items/uss-ccpe.parquet")
    assert broken(folder) == {"items/uss-ccpe.parquet"}


def test_a_changed_number_is_named_although_texts_are_withheld(
    without: Bundle, tmp_path: Path
) -> None:
    folder = unpacked(without, tmp_path / "without")
    path = folder / "tables" / "jia2024_table2.csv"
    path.write_text(path.read_text().replace("0", "1", 1))
    assert broken(folder) == {"tables/jia2024_table2.csv"}


def test_a_table_that_quotes_an_item_is_left_out(project: Project, tmp_path: Path) -> None:
    own = Project(tmp_path / "own")
    shutil.copytree(project.folder, own.folder, ignore=shutil.ignore_patterns("*.zip"))
    said = pq.read_table(own.root / "items/uss-ccpe.parquet")["turns"][0].as_py()[0]["text"]
    quoting = {**cell(), "kind": "ledger", "metric": "", "value": None, "value_text": said}
    write(own.root, "tables/a_b.parquet", "cells", quoting)
    Run("render_table", own.root, (own.root / "tables/a_b.parquet",)).write_text(
        own.root / "tables/a_b.csv", said
    )
    made = bundled(own, "b.zip", withhold_texts=True)
    left_out = {place for place, one in made.seal.withheld.items() if not one.columns}
    assert left_out == {"tables/a_b.parquet", "tables/a_b.csv"}
    assert said not in texts_in(unpacked(made, tmp_path / "without"))
    assert not broken(made.archive)
