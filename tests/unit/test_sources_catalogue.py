"""The catalogue of downloads: its shape, its refusals, and the real data/sources.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.sources.catalogue import load_sources
from retrial.sources.fetch import fetch

CATALOGUE = Path(__file__).parents[2] / "data" / "sources.yaml"
COMMIT = "8ba06bd92570fd94d3ec0cb828aad45172be71b2"


def entry(**changes: Any) -> dict[str, Any]:
    file = {
        "url": f"https://raw.githubusercontent.com/owner/repo/{COMMIT}/dir/a.txt",
        "sha256": "0" * 64,
        "bytes": 12,
        "trust": "pinned",
    }
    file.update(changes)
    return {key: value for key, value in file.items() if value is not None}


def written(folder: Path, file: dict[str, Any], name: str = "a.txt", source: str = "one") -> Path:
    about = dict.fromkeys(("title", "homepage", "citation", "licence", "note"), "text")
    path = folder / "sources.yaml"
    path.write_text(yaml.safe_dump({"sources": {source: {**about, "files": {name: file}}}}))
    return path


def test_a_good_entry_is_read_as_written(tmp_path: Path) -> None:
    file = load_sources(written(tmp_path, entry())).file("one", "a.txt")
    assert (file.sha256, file.bytes, file.trust) == ("0" * 64, 12, "pinned")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"url": "http://example.org/a.txt"}, "must be https"),
        ({"url": "https://user:secret@example.org/a.txt"}, "without user or password"),
        ({"url": "ftp://example.org/a.txt"}, "https://host/path"),
        ({"url": "https://raw.githubusercontent.com/owner/repo/main/a.txt"}, "40-digit commit"),
        ({"sha256": None}, "needs both sha256 and bytes"),
        ({"bytes": None}, "needs both sha256 and bytes"),
        ({"sha256": "0" * 63}, "sha256"),
        ({"sha256": "A" * 64}, "sha256"),
        ({"bytes": 0}, "bytes"),
        ({"trust": "guess"}, "trust"),
        ({"max_bytes": 99}, "not max_bytes"),
        ({"sha-256": "0" * 64}, "sha-256"),
        ({"trust": "first-use"}, "max_bytes"),
        ({"trust": "first-use", "bytes": None}, "max_bytes"),
    ],
)
def test_a_wrong_entry_is_refused_by_key(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(RetrialError) as caught:
        load_sources(written(tmp_path, entry(**changes)))
    message = str(caught.value)
    assert said in message
    assert "sources.one.files.a.txt" in message
    assert str(tmp_path / "sources.yaml") in message
    assert "secret" not in message


@pytest.mark.parametrize("source", ["Upper", "a/b", "a_b", "-a", ".."])
def test_source_ids_fit_paths(tmp_path: Path, source: str) -> None:
    with pytest.raises(RetrialError, match="sources"):
        load_sources(written(tmp_path, entry(), source=source))


@pytest.mark.parametrize("name", ["../a.txt", "a/b", ".hidden", "a b"])
def test_file_names_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(RetrialError, match="files"):
        load_sources(written(tmp_path, entry(), name=name))


def test_a_key_written_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, entry())
    path.write_text(path.read_text().replace("bytes: 12", "bytes: 12\n        bytes: 13"))
    with pytest.raises(RetrialError, match="'bytes' is written twice"):
        load_sources(path)


def test_unreadable_catalogues_are_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.yaml"
    with pytest.raises(RetrialError, match=r"none\.yaml"):
        load_sources(missing)
    missing.write_text("sources: [unclosed")
    with pytest.raises(RetrialError, match=r"(?s)none\.yaml.*line 1"):
        load_sources(missing)
    missing.write_text("")
    with pytest.raises(RetrialError, match=r"none\.yaml"):
        load_sources(missing)


def test_unknown_names_come_with_the_nearest_known_one() -> None:
    sources = load_sources(CATALOGUE)
    with pytest.raises(RetrialError, match=r"no source 'llm-evaluations'; did you mean 'llm-ev"):
        sources.file("llm-evaluations", "x")
    with pytest.raises(RetrialError, match=r"no file 'redial\.txt'; did you mean 'ReDial\.txt'"):
        sources.file("uss", "redial.txt")


def test_every_file_is_described_once_and_without_two_addresses() -> None:
    files = list(load_sources(CATALOGUE).walk())
    assert len({file.url for _, _, file in files}) == len(files)
    pinned = [file.sha256 for _, _, file in files if file.trust == "pinned"]
    assert len(set(pinned)) == len(pinned)


@pytest.mark.realdata
def test_the_catalogue_and_the_real_files_are_the_same_set(mirror: Path) -> None:
    on_disk = {(path.parent.name, path.name) for path in mirror.glob("*/*") if path.is_file()}
    files = load_sources(CATALOGUE).walk()
    assert on_disk == {(source, name) for source, name, file in files if file.trust == "pinned"}


@pytest.mark.realdata
def test_real_files_match_and_are_fetched_byte_for_byte(mirror: Path, tmp_path: Path) -> None:
    for source_id, name, file in load_sources(CATALOGUE).walk():
        if file.trust != "pinned":
            continue
        real = mirror / source_id / name
        assert (sha256_file(real), real.stat().st_size) == (file.sha256, file.bytes), name
        destination = tmp_path / source_id / name
        found = fetch(file, destination, mirror=mirror, source_id=source_id)
        assert found.origin == "mirror"
        assert destination.read_bytes() == real.read_bytes()


@pytest.mark.realdata
def test_a_real_file_with_one_flipped_byte_is_refused(mirror: Path, tmp_path: Path) -> None:
    file = load_sources(CATALOGUE).file("uss", "CCPE.txt")
    data = bytearray((mirror / "uss" / "CCPE.txt").read_bytes())
    data[len(data) // 2] ^= 1
    damaged = tmp_path / "mirror" / "uss" / "CCPE.txt"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(data)
    destination = tmp_path / "raw" / "uss" / "CCPE.txt"
    with pytest.raises(RetrialError, match=str(file.sha256)):
        fetch(file, destination, mirror=tmp_path / "mirror", source_id="uss")
    assert list(destination.parent.iterdir()) == []
