"""The log of each attack, in an archive or a CSV file of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retrial.errors import RetrialError
from retrial.items.attacks.archive import Contents, Kind, kind_of, read_archive
from retrial.items.attacks.settings import Settings

PACKED: frozenset[Kind] = frozenset({"zip", "tar", "gz", "xz", "bz2"})
SHARE = "https://drive.google.com/file/d/1eNJn7rX2OE9UKrrknmvClt3IK2cUTRjB/view"
BY_HAND = (
    f"open {SHARE} in a browser, save the archive, and name it under `paths` of the dataset in "
    "config.yaml in place of `source` and `files`; or name TextAttack CSV logs there, one for "
    "each attack, called <name>_<attack>.csv"
)
SHOWN = 12
"""Places that a message lists."""


@dataclass(frozen=True)
class FoundLog:
    """A log's bytes and where it lies: `source` as items name it, `place` for messages."""

    data: bytes
    source: str
    place: str


def find_logs(paths: Sequence[Path], source: str, settings: Settings) -> dict[str, FoundLog]:
    """The log of every attack of the settings. Raises RetrialError that says what is missing."""
    if not paths:
        raise RetrialError(f"textattack: no files to read; {BY_HAND}")
    found: dict[str, FoundLog] = {}
    others: list[str] = []
    for path in paths:
        logs, names = _logs_of(path, f"{source}/{path.name}", settings)
        others += names
        for attack, log in logs.items():
            if attack in found:
                where = f"{found[attack].place} and {log.place}"
                raise RetrialError(f"textattack: two logs of {attack}: {where}; name one of them")
            found[attack] = log
    if missing := [attack for attack in settings.names if attack not in found]:
        raise _missing(paths, missing, others, settings)
    return {attack: found[attack] for attack in settings.names}


def _logs_of(
    path: Path, source: str, settings: Settings
) -> tuple[Mapping[str, FoundLog], Sequence[str]]:
    """The logs of a file, and the folders that hold logs of other kinds."""
    kind = kind_of(path)
    if kind in PACKED:
        contents = read_archive(path, lambda place: _attack_at(place, settings) is not None)
        return _in_archive(path, source, contents, settings), _folders(contents)
    if kind == "page":
        raise RetrialError(
            f"{path}: is a web page, as a file share sends when it refuses a download or asks for "
            f"a confirmation; {BY_HAND}"
        )
    if kind == "empty":
        raise RetrialError(f"{path}: is empty; {BY_HAND}")
    attack = _attack_of_file(path, settings)
    return {attack: FoundLog(path.read_bytes(), source, str(path))}, ()


def _attack_at(place: PurePosixPath, settings: Settings) -> str | None:
    """The attack whose log stands at this place of the archive, if it is one of the settings'."""
    if place.suffix != ".csv" or place.name.startswith("."):
        return None
    folder = (settings.strength, settings.corpus, settings.victim)
    *before, attack = place.parts[:-1] or ("",)
    fits = tuple(before[-3:]) == folder and "__MACOSX" not in before
    return attack if fits and attack in settings.names else None


def _in_archive(
    path: Path, source: str, contents: Contents, settings: Settings
) -> dict[str, FoundLog]:
    logs: dict[str, FoundLog] = {}
    for name, data in contents.files.items():
        attack = _attack_at(PurePosixPath(name), settings)
        assert attack is not None, "only logs of the wanted attacks are read"
        place = f"{path}:{name}"
        if attack in logs:
            raise RetrialError(
                f"textattack: two logs of {attack}: {logs[attack].place} and {place}; unpack the "
                "archive and name the right CSV files under `paths` of the dataset"
            )
        logs[attack] = FoundLog(data, f"{source}:{name}", place)
    return logs


def _folders(contents: Contents) -> list[str]:
    places = [PurePosixPath(name) for name in contents.names]
    return sorted({p.parent.as_posix() for p in places if p.suffix == ".csv"})


def _attack_of_file(path: Path, settings: Settings) -> str:
    """The attack that a CSV log's own name ends in, or that its folder is called."""
    if path.suffix.lower() != ".csv":
        raise RetrialError(
            f"{path}: is neither an archive (zip, tar, tar.gz, tar.xz) by its first bytes nor a "
            f".csv file; {BY_HAND}"
        )
    last = path.stem.replace("-", "_").rsplit("_", 1)[-1]
    for name in (last, path.parent.name):
        if name in settings.names:
            return name
    raise RetrialError(
        f"{path}: which attack is this the log of? Call it <name>_<attack>.csv, with one of "
        f"{', '.join(settings.names)} (option attacks)"
    )


def _missing(
    paths: Sequence[Path], missing: Sequence[str], others: Sequence[str], settings: Settings
) -> RetrialError:
    place = f"{settings.strength}/{settings.corpus}/{settings.victim}/<attack>/"
    read = ", ".join(str(path) for path in paths)
    lines = [f"textattack: no log of {', '.join(missing)} in {read}"]
    if others:
        more = [f"and {len(others) - SHOWN} more"] if len(others) > SHOWN else []
        lines.append(f"  wanted in an archive: one .csv in {place}")
        lines.append(f"  logs lie in: {', '.join([*others[:SHOWN], *more])}")
        lines.append("  set the options strength, corpus, victim or attacks to what is there; or")
    return RetrialError("\n".join([*lines, f"  {BY_HAND}"]))
