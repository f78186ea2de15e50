"""Archives: the same bytes every time; what a stranger packed stays in its folder."""

import os
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.exchange.archive import Limits, pack, packed_by_pack, packing_faults, unpack

NAMES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6}){0,2}\.(parquet|json)", fullmatch=True)


def packed(folder: Path, contents: dict[str, bytes], name: str = "a.zip") -> Path:
    members = {}
    for number, (place, data) in enumerate(contents.items()):
        members[place] = folder / f"{name}-{number}"
        members[place].write_bytes(data)
    pack(members, folder / name)
    return folder / name


def strange(folder: Path, *infos: zipfile.ZipInfo | str, data: bytes = b"x") -> Path:
    """An archive as anyone may write one."""
    path = folder / "strange.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for info in infos:
            archive.writestr(info, data)
    return path


def refused(archive: Path, folder: Path, why: str, limits: Limits | None = None) -> None:
    into = folder / "into"
    into.mkdir()
    with pytest.raises(RetrialError, match=why):
        unpack(archive, into, limits)
    assert not list(into.iterdir())


@given(st.dictionaries(NAMES, st.binary(max_size=300), min_size=1, max_size=6))
def test_what_is_packed_comes_back(contents: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        archive = packed(folder, contents)
        (folder / "into").mkdir()
        names = unpack(archive, folder / "into")
        assert names == sorted(contents)
        assert {name: (folder / "into" / name).read_bytes() for name in names} == contents


def test_times_modes_and_order_leave_no_trace(tmp_path: Path) -> None:
    contents = {"b/c.json": b"{}", "a.csv": b"1,2\n"}
    first = packed(tmp_path, contents)
    for path in tmp_path.glob("a.zip-*"):
        path.chmod(0o600)
        os.utime(path, (1e9, 1e9))
    backwards = dict(reversed(contents.items()))
    assert packed(tmp_path, backwards, "b.zip").read_bytes() == first.read_bytes()
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/etc/passwd", "absolute path"),
        ("C:/windows/x", "absolute path"),
        ("../outside", "leave the folder"),
        ("tables/../../outside", "leave the folder"),
        ("tables/..", "leave the folder"),
        ("tables//x", "plain relative path"),
        ("./x", "plain relative path"),
        ("tables/", "plain relative path"),
        ("a\\..\\b", "plain relative path"),
        ("a\x07b", "plain relative path"),
        ("tables/nul.csv", "device"),
        ("x:stream", "absolute path|device"),
    ],
)
def test_a_dangerous_name_is_refused(tmp_path: Path, name: str, why: str) -> None:
    refused(strange(tmp_path, "fine.csv", name), tmp_path, why)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    info = zipfile.ZipInfo("tables/x.csv")
    info.create_system, info.external_attr = 3, (kind | 0o644) << 16
    refused(strange(tmp_path, info, data=b"/etc/passwd"), tmp_path, "link or a special file")


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    refused(strange(tmp_path, "a/X.csv", "a/x.csv"), tmp_path, "stands twice")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = strange(tmp_path, "x.csv")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))
    refused(path, tmp_path, "encrypted")


def test_another_compression_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lzma.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.csv", b"x" * 100)
    refused(path, tmp_path, "deflate")


def test_too_many_and_too_large_members_are_refused(tmp_path: Path) -> None:
    archive = packed(tmp_path, {f"{n}.csv": b"12345" for n in range(4)})
    refused(archive, tmp_path, "4 members", Limits(members=3))
    (tmp_path / "into").rmdir()
    refused(archive, tmp_path, "20 bytes", Limits(total_bytes=19))


def test_a_zip_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("fine.csv", b"1")
        archive.writestr("bomb.csv", bytes(1 << 20))
    refused(path, tmp_path, "bomb.csv.*grow")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_an_archive_cut_short_says_so(tmp_path: Path, share: float) -> None:
    archive = packed(tmp_path, {"a.csv": b"a" * 500, "b.csv": b"b" * 500})
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * share)])
    refused(archive, tmp_path, "cut short")


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    archive = packed(tmp_path, {"a.csv": b"aaaa", "tables/b.csv": b"bbbb"})
    archive.write_bytes(archive.read_bytes().replace(b"bbbb", b"bbcb"))
    (tmp_path / "into").mkdir()
    with pytest.raises(RetrialError, match=r"tables/b\.csv.*damaged"):
        unpack(archive, tmp_path / "into")


def test_a_changed_header_is_found_by_packing_again(tmp_path: Path) -> None:
    archive = packed(tmp_path, {"a.csv": b"aaaa", "b.csv": b"bbbb"})
    whole = archive.read_bytes()
    into = tmp_path / "into"
    into.mkdir()
    names = unpack(archive, into)
    assert not list(packing_faults(archive, into, names, tmp_path / "again.zip"))
    second_header = whole.index(b"PK\x03\x04", 4)
    damaged = bytearray(whole)
    damaged[second_header + 10] ^= 4  # its time, which no reader of zip archives checks
    archive.write_bytes(bytes(damaged))
    assert packed_by_pack(archive)
    (fault,) = packing_faults(archive, into, names, tmp_path / "again.zip")
    assert f"byte {second_header + 10:,} (the header of b.csv)" in fault


def test_what_others_packed_is_told_apart(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("a.csv", (2024, 5, 6, 7, 8, 10))
    assert not packed_by_pack(strange(tmp_path, info))
