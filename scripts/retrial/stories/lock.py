"""The lock of a trained generator: a small file that names the model's folder and digests."""

from dataclasses import replace
from pathlib import Path

from retrial.errors import RetrialError
from retrial.judging.model_files import ModelFiles, check_files


def read_lock(path: Path) -> ModelFiles:
    """The model that a lock describes, in its folder or, in a moved copy, beside the lock.

    Raises RetrialError when the lock is none, or a file of the model is missing or changed.
    """
    try:
        files = ModelFiles.from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RetrialError(f"{path}: can't be read: {error.strerror}") from error
    beside = path.parent / files.revision
    if not files.path.is_dir() and beside.is_dir():
        files = replace(files, folder=str(beside.resolve()))
    check_files(files)
    return files
