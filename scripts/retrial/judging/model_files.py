"""What a prepared model is: a folder, the digest of every file, and where it came from.

Preparing happens once, ahead of the compute job, on a machine that may have a network. What
loads the model later only reads a `ModelFiles` and the folder that it names.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from retrial.digest import canonical_json, sha256_file, sha256_text
from retrial.errors import RetrialError

DESCRIPTION = "retrial-model.json"
"""The file, written last, that marks a prepared folder as whole."""

DECISIVE = (".safetensors", ".bin", "config.json", "tokenizer.json", "tokenizer.model",
            "vocab.json", "merges.txt")  # fmt: skip
"""Endings of the files that decide what a model answers."""

STALE_SECONDS = 24 * 3600.0
"""Age at which a temporary folder is taken for the remains of a killed preparation."""


@dataclass(frozen=True)
class FileFacts:
    """Digest and size (bytes) of one file of a model."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class ModelFiles:
    """A model on this machine.

    `revision` is the resolved commit, or the version of the package that ships the model.
    `folder` is absolute; `files` maps names relative to it. `licence` is empty when unstated.
    """

    model: str
    revision: str
    folder: str
    files: dict[str, FileFacts]
    licence: str = ""
    note: str = ""

    @property
    def digest(self) -> str:
        """sha256 over the names and digests of all files; the folder's place is not in it."""
        return sha256_text(canonical_json({n: f.sha256 for n, f in self.files.items()}))

    @property
    def asked_digest(self) -> str:
        """Like `digest`, over weights, settings and vocabulary: what decides an answer.

        The rest (licences, notes) decides nothing.
        """
        decisive = {n: f.sha256 for n, f in self.files.items() if n.endswith(DECISIVE)}
        return sha256_text(canonical_json(decisive))

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self.folder)

    def to_json(self) -> str:
        """Readable JSON, with the digest for those who read it."""
        return json.dumps({**asdict(self), "digest": self.digest}, indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "ModelFiles":
        """The inverse of `to_json`. Raises RetrialError for text that is none."""
        try:
            data = json.loads(text)
            digest = data.pop("digest")
            data["files"] = {n: FileFacts(**f) for n, f in data["files"].items()}
            files = cls(**data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RetrialError(f"not a description of a prepared model: {error}") from error
        if files.digest != digest:
            raise RetrialError(
                f"description of {files.model}: its digest is not that of its files; it was "
                "edited by hand. Delete it and prepare the model again"
            )
        return files


def describe_folder(
    folder: Path, *, model: str, revision: str, licence: str = "", note: str = ""
) -> ModelFiles:
    """The `ModelFiles` of a folder as it is now: every file in it is read and hashed."""
    names = sorted(
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and p.name != DESCRIPTION
    )
    facts = {n: FileFacts(sha256_file(folder / n), (folder / n).stat().st_size) for n in names}
    return ModelFiles(model, revision, str(folder.resolve()), facts, licence, note)


def check_files(files: ModelFiles, *, digests: bool = False) -> None:
    """Raises RetrialError naming the first file that is missing or changed.

    Sizes are always compared; contents only with `digests`, for they take a full read.
    """
    for name, facts in sorted(files.files.items()):
        path = files.path / name
        remedy = f"Delete {files.folder} and prepare {files.model} again"
        if not path.is_file():
            raise RetrialError(f"model {files.model}: {path} is missing. {remedy}")
        size = path.stat().st_size
        if size != facts.bytes:
            raise RetrialError(
                f"model {files.model}: {path} has {size} bytes, recorded were {facts.bytes}. "
                + remedy
            )
        if digests and sha256_file(path) != facts.sha256:
            raise RetrialError(
                f"model {files.model}: {path} is not the recorded file (sha256 differs). {remedy}"
            )


def build_folder(target: Path, build: Callable[[Path], ModelFiles]) -> ModelFiles:
    """Fills `target` through `build`, whole or not at all; an intact one is used as it is.

    `build` gets a temporary folder beside the target. Of two processes that build the same
    target, the first to finish wins and both use its folder.
    """
    ready = read_folder(target)
    if ready is not None:
        return ready
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(target)
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        described = build(temporary)
        (temporary / DESCRIPTION).write_text(described.to_json(), encoding="utf-8")
        _open_to_readers(temporary)
        return _put_in_place(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def read_folder(target: Path) -> ModelFiles | None:
    """The description of a prepared folder, or None when it is absent or damaged."""
    try:
        text = (target / DESCRIPTION).read_text(encoding="utf-8")
        described = ModelFiles.from_json(text)
        here = ModelFiles(**{**vars(described), "folder": str(target.resolve())})
        check_files(here)
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, RetrialError):
        return None
    return here


def _put_in_place(temporary: Path, target: Path) -> ModelFiles:
    """Renames; a damaged folder in the way is moved off first, an intact one is kept."""
    for _ in range(3):
        try:
            temporary.rename(target)
        except OSError:
            if not target.exists():
                raise
            ready = read_folder(target)
            if ready is not None:
                return ready
            _move_off(target)
        else:
            break
    ready = read_folder(target)
    if ready is None:
        raise RetrialError(f"could not put a prepared model at {target}: something else is there")
    return ready


def _open_to_readers(folder: Path) -> None:
    """Lets everyone read it: some writers make files for their owner only."""
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _move_off(target: Path) -> None:
    """Takes a damaged folder out of the way in one step, then deletes it."""
    grave = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    with suppress(FileNotFoundError):  # another process may have done it
        target.rename(grave / "damaged")
    shutil.rmtree(grave, ignore_errors=True)


def _remove_stale(target: Path) -> None:
    """Deletes what killed preparations of the same target left behind."""
    for left in target.parent.glob(f".{target.name}.*"):
        if time.time() - left.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
