"""Archives of attack logs: every kind is read, and whatever is unsafe or damaged is refused."""

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from retrial.items.attacks.archive import ArchiveError, Limits, kind_of, read_archive

FILES = {"logs/a.csv": b"first\n" * 400, "logs/b.csv": b"second\n", "README": b"r" * 600}
TARS = {"w": "tar", "w:gz": "gz", "w:xz": "xz", "w:bz2": "bz2"}


def tar(path: Path, files: dict[str, bytes], mode: str = "w", *extra: tarfile.TarInfo) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make(kind: str, path: Path, files: dict[str, bytes]) -> Path:
    return zipped(path, files) if kind == "zip" else tar(path, files, kind)


def wanted(place) -> bool:
    return place.suffix == ".csv"


EVERY = pytest.mark.parametrize("kind", ["zip", *TARS])


@EVERY
def test_an_archive_is_known_by_its_bytes_and_its_wanted_files_are_read(tmp_path, kind):
    path = make(kind, tmp_path / "attack-log.archive", FILES)
    assert kind_of(path) == TARS.get(kind, "zip")
    found = read_archive(path, wanted)
    assert found.files == {n: d for n, d in FILES.items() if n.endswith(".csv")}
    assert sorted(found.names) == sorted(FILES)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["attack-log.archive"]


UNSAFE = ["../x.csv", "logs/../../x.csv", "/etc/x.csv", "..\\x.csv", "C:\\x.csv", "\\\\host\\x.csv"]


@EVERY
@pytest.mark.parametrize("name", UNSAFE)
def test_a_name_that_leads_out_of_the_folder_refuses_the_archive(tmp_path, kind, name):
    path = make(kind, tmp_path / "a", {"logs/a.csv": b"x", name: b"y"})
    with pytest.raises(ArchiveError, match="leads out of the archive's folder"):
        read_archive(path, wanted)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_a_link_or_device_in_place_of_a_log_is_refused_in_a_tar(tmp_path, kind):
    info = tarfile.TarInfo("logs/b.csv")
    info.type, info.linkname = kind, "/etc/passwd"
    path = tar(tmp_path / "a", {"logs/a.csv": b"x"}, "w:gz", info)
    with pytest.raises(ArchiveError, match=r"logs/b\.csv is a link or a device"):
        read_archive(path, wanted)


def test_a_link_in_place_of_a_log_is_refused_in_a_zip(tmp_path):
    info = zipfile.ZipInfo("logs/a.csv")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(ArchiveError, match="is a link or a device"):
        read_archive(tmp_path / "a", wanted)


def test_a_link_elsewhere_is_never_followed(tmp_path):
    info = tarfile.TarInfo("latest")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    path = tar(tmp_path / "a", {"logs/a.csv": b"x"}, "w", info)
    assert read_archive(path, wanted).files == {"logs/a.csv": b"x"}


@EVERY
@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(member_bytes=1000), r"logs/a\.csv is larger than the 1000 bytes"),
        (Limits(total_bytes=3000), "unpacks to more than the 3000 bytes"),
        (Limits(members=2), "more than the 2 files"),
    ],
)
def test_more_than_a_limit_is_refused(tmp_path, kind, limits, why):
    path = make(kind, tmp_path / "a", FILES)
    with pytest.raises(ArchiveError, match=why):
        read_archive(path, wanted, limits)


@pytest.mark.parametrize("kind", ["w:gz", "w:xz", "w:bz2"])
def test_a_bomb_among_the_skipped_files_is_stopped(tmp_path, kind):
    path = tar(tmp_path / "a", {"logs/a.csv": b"x", "zeros": bytes(4_000_000)}, kind)
    assert path.stat().st_size < 10_000
    with pytest.raises(ArchiveError, match="unpacks to more than the 1000000 bytes"):
        read_archive(path, wanted, Limits(total_bytes=1_000_000))


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path):
    path = zipped(tmp_path / "a", {"logs/a.csv": b"x" * 5000})
    data = path.read_bytes()
    assert data.count((5000).to_bytes(4, "little")) >= 2
    path.write_bytes(data.replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    with pytest.raises(ArchiveError, match="damaged"):
        read_archive(path, wanted, Limits(member_bytes=1000))


def test_an_encrypted_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "a", {"logs/a.csv": b"x"})
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag in the local header, then in the central directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"logs/a\.csv is encrypted"):
        read_archive(path, wanted)


@EVERY
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_archive_is_refused(tmp_path, kind, share):
    noise = {f"logs/{n}.csv": bytes((i * i * (n + 3)) % 251 for i in range(4000)) for n in range(6)}
    path = make(kind, tmp_path / "a", noise)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        read_archive(path, wanted)


def test_a_tar_cut_between_two_files_is_refused(tmp_path):
    path = tar(tmp_path / "a", {"logs/a.csv": b"x" * 512, "logs/b.csv": b"y" * 512})
    path.write_bytes(path.read_bytes()[:1024])
    with pytest.raises(ArchiveError, match="its end is missing"):
        read_archive(path, wanted)


def test_a_changed_byte_in_a_zip_is_refused(tmp_path):
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("logs/a.csv", b"unchanged")
    path.write_bytes(path.read_bytes().replace(b"unchanged", b"uNchanged"))
    with pytest.raises(ArchiveError, match="damaged"):
        read_archive(path, wanted)


def test_a_compressed_file_that_is_no_tar_is_named_as_that(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(b"original_text,perturbed_text\n" * 80))
    with pytest.raises(ArchiveError, match=r"compressed \(gz\), but what it holds is no tar"):
        read_archive(tmp_path / "a", wanted)


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>", "page"),
        (b"\xef\xbb\xbf\n <HTML lang=en>", "page"),
        (b"7z\xbc\xaf'\x1c", "other"),
        (b"Rar!\x1a\x07", "other"),
        (b"original_text,perturbed_text\n", "other"),
    ],
)
def test_what_is_no_archive_is_told_and_refused(tmp_path, start, kind):
    (tmp_path / "a").write_bytes(start)
    assert kind_of(tmp_path / "a") == kind
    with pytest.raises(ArchiveError, match="neither a zip nor a tar"):
        read_archive(tmp_path / "a", wanted)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ArchiveError, match="none: can't be read"):
        read_archive(tmp_path / "none", wanted)


@pytest.mark.parametrize("kind", ["zip", "w"])
def test_a_log_twice_is_refused(tmp_path, kind):
    path = tmp_path / "a"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.csv", b"x")
            archive.writestr("a.csv", b"y")
    else:
        info = tarfile.TarInfo("a.csv")
        tar(path, {"a.csv": b"x"}, "w", info)
    with pytest.raises(ArchiveError, match=r"holds a\.csv twice"):
        read_archive(path, wanted)
