"""A bundle of a real run, received on a machine with the code and nothing else."""

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from checkout import Checkout

from retrial.exchange.archive import pack, unpack

pytestmark = [pytest.mark.workflow, pytest.mark.realdata]
ROOT = Path("results/released")
LEFT_BEHIND = ("results", ".snakemake", ".cache", "raw", "logs", ".git")
REFUSING = """
import socket
def refuse(*a, **k): raise OSError("connections are refused in this test")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
"""
NAMESPACE = ["unshare", "--map-root-user", "--net"]
CONNECT = "import socket, sys; socket.socket().connect(('127.0.0.1', int(sys.argv[1])))"


@dataclass
class Receiver:
    """A fresh copy of the code in a folder of its own, cut off from every network."""

    folder: Path
    prefix: list[str]
    environment: dict[str, str]

    def python(self, *arguments: str, cut: bool = True) -> subprocess.CompletedProcess[str]:
        prefix, environment = (self.prefix, self.environment) if cut else ([], {})
        return subprocess.run(
            [*prefix, sys.executable, *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), **environment},
            capture_output=True,
            text=True,
        )

    def verify(self, archive: Path, *options: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "retrial.cli", "verify", str(archive), *options)


@pytest.fixture(scope="module")
def receiver(released: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Receiver:
    """Code without results, downloads, models or caches; without a network interface where the
    system lets us make a namespace for that, else with every connection refused by Python."""
    folder = tmp_path_factory.mktemp("receiver") / "copy"
    shutil.copytree(
        released.folder, folder, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND)
    )
    (folder / "home").mkdir()
    environment = {"PYTHONPATH": str(folder / "scripts")}
    try:
        allowed = subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode == 0
    except OSError:
        allowed = False
    if allowed:
        return Receiver(folder, NAMESPACE, environment)
    (folder / "refusing").mkdir()
    (folder / "refusing" / "sitecustomize.py").write_text(REFUSING)
    environment["PYTHONPATH"] += f":{folder / 'refusing'}"
    return Receiver(folder, [], environment)


@pytest.fixture(scope="module")
def bundle(released: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = tmp_path_factory.mktemp("bundle") / "released.zip"
    done = released.retrial("bundle", str(ROOT), "--output", str(archive))
    assert done.returncode == 0, done.stderr
    return archive


def test_the_receiver_can_reach_nothing_and_has_no_data_and_no_model(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert receiver.python("-c", CONNECT, port, cut=False).returncode == 0
        assert receiver.python("-c", CONNECT, port).returncode != 0
    for absent in ("results", ".cache", "data/raw"):
        assert not (receiver.folder / absent).exists()


@pytest.mark.parametrize("texts", ["with", "without"])
def test_a_bundle_verifies_there_without_a_connection(
    released: Checkout, receiver: Receiver, bundle: Path, tmp_path: Path, texts: str
) -> None:
    archive = bundle
    if texts == "without":
        archive = tmp_path / "without.zip"
        done = released.retrial("bundle", str(ROOT), "--output", str(archive), "--withhold-texts")
        assert done.returncode == 0, done.stderr
        assert archive.stat().st_size < bundle.stat().st_size
    done = receiver.verify(archive)
    assert done.returncode == 0, done.stdout + done.stderr
    verified = re.search(r"(\d[\d,]*) VERIFIED", done.stdout)
    with zipfile.ZipFile(archive) as members:
        tables = [n for n in members.namelist() if re.fullmatch(r"tables/[^/]+\.parquet", n)]
    assert verified and tables and int(verified[1].replace(",", "")) > len(tables)
    assert done.stdout.rstrip().endswith("0 broken")
    assert not (receiver.folder / "results").exists()


def test_the_same_results_give_the_same_archive(
    released: Checkout, bundle: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.zip"
    assert released.retrial("bundle", str(ROOT), "--output", str(again)).returncode == 0
    assert again.read_bytes() == bundle.read_bytes()


@pytest.mark.parametrize("seed", range(3))
def test_a_byte_flipped_on_the_way_is_named(
    receiver: Receiver, bundle: Path, tmp_path: Path, seed: int
) -> None:
    """In the archive itself; the member in which it lies is named."""
    generator = random.Random(seed)
    with zipfile.ZipFile(bundle) as archive:
        info = generator.choice([i for i in archive.infolist() if i.file_size > 0])
        with archive.open(info) as member:
            start = member._orig_compress_start  # type: ignore[attr-defined]
    damaged = bytearray(bundle.read_bytes())
    damaged[start + generator.randrange(info.file_size)] ^= 1 << generator.randrange(8)
    (tmp_path / "damaged.zip").write_bytes(damaged)
    done = receiver.verify(tmp_path / "damaged.zip", "--quick")
    assert done.returncode == 1
    assert info.filename in done.stdout + done.stderr


@pytest.mark.parametrize(
    "member",
    ["ratings/human/chiang2023-stories.parquet", "tables/chiang2023_table1.csv",
     "tables/chiang2023_table2.parquet.prov.json", "MANIFEST.json", "report/index.html"],
)  # fmt: skip
def test_a_byte_flipped_and_packed_again_is_named(
    receiver: Receiver, bundle: Path, tmp_path: Path, member: str
) -> None:
    """By someone whose archive is whole as an archive."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    names = unpack(bundle, folder)
    data = bytearray((folder / member).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / member).write_bytes(data)
    pack({name: folder / name for name in names}, tmp_path / "damaged.zip")
    done = receiver.verify(tmp_path / "damaged.zip", "--quick")
    assert done.returncode == 1
    assert f"MISMATCH  {member}: " in done.stdout


def test_the_crate_is_valid_by_its_makers_validator(released: Checkout) -> None:
    """All requirements of the Provenance Run Crate profile, and those that it builds on."""
    home = os.environ.get("RETRIAL_CRATE_VALIDATOR")
    program = Path(home or ".") / "bin" / "rocrate-validator"
    if not home or not program.is_file():
        pytest.skip("the validator: tests/validate_crate.sh makes its environment; "
                    "set RETRIAL_CRATE_VALIDATOR to it")  # fmt: skip
    assert released.retrial("crate", str(ROOT)).returncode == 0
    done = subprocess.run(
        [str(program), "--no-interactive", "validate", "--profile-identifier",
         "provenance-run-crate", "--offline", "--cache-path", f"{home}/http",
         "--skip-availability-check", "--no-paging", "--verbose", str(released.folder / ROOT)],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
