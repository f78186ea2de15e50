"""What a file's bytes must be, and the message when they are not."""

from dataclasses import dataclass
from pathlib import Path

from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.sources.catalogue import SourceFile

_PAGE_STARTS = (b"<!doctype html", b"<html")


class FetchError(RetrialError):
    """A source file could not be had, or its bytes are not the ones that are expected."""


@dataclass(frozen=True)
class Expectation:
    """What is known of one file before it is read.

    `label` is `<source>/<file>`; `sha256` and `size` (bytes) are None where nothing is known yet;
    no more than `limit` bytes are ever read; `address` and `remedy` go into error messages.
    """

    label: str
    address: str
    sha256: str | None
    size: int | None
    limit: int
    remedy: str

    def fault(self, what: str, actual: str) -> FetchError:
        """The error for this file: what happened, expected and actual state, what to do."""
        return FetchError(
            f"{self.label}: {what}\n"
            f"  address:  {self.address}\n"
            f"  expected: {_state(self.size, self.sha256)}\n"
            f"  actual:   {actual}\n"
            f"  remedy:   {self.remedy}"
        )

    def check(self, path: Path, origin: str) -> tuple[str, int]:
        """The sha256 and size of `path`; FetchError where they aren't the expected ones.

        Where no digest is expected yet, an empty file or a web page is refused all the same.
        """
        sha256, size = sha256_file(path), path.stat().st_size
        wrong_size = self.size is not None and size != self.size
        if wrong_size or (self.sha256 is not None and sha256 != self.sha256):
            page = "; it is a web page, as a proxy or a login sends" if is_page(path) else ""
            what = f"{origin} does not hold the expected bytes{page}"
            raise self.fault(what, _state(size, sha256))
        if self.sha256 is None and (size == 0 or is_page(path)):
            kind = "a web page" if size else "empty"
            raise self.fault(f"{origin} is {kind}, not the file", _state(size, sha256))
        if size > self.limit:
            what = f"{origin} is larger than the {self.limit} bytes that are allowed"
            raise self.fault(what, _state(size, sha256))
        return sha256, size


def expectation(file: SourceFile, label: str, known: str | None, remedy: str) -> Expectation:
    """The expectation of a catalogued file; `known` is the digest recorded at its first use."""
    pinned = file.trust == "pinned"
    limit = file.bytes or file.max_bytes
    if limit is None:
        raise RetrialError(f"{label}: the catalogue gives neither bytes nor max_bytes")
    return Expectation(
        label=label,
        address=file.url,
        sha256=file.sha256 if pinned else known,
        size=file.bytes,
        limit=limit,
        remedy=remedy,
    )


def is_page(path: Path) -> bool:
    """Whether a file starts as an HTML page does."""
    with path.open("rb") as handle:
        start = handle.read(1024)
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_PAGE_STARTS)


def describe(path: Path) -> str:
    """The size and sha256 of a file, for messages."""
    return _state(path.stat().st_size, sha256_file(path))


def _state(size: int | None, sha256: str | None) -> str:
    length = "size not known" if size is None else f"{size} bytes"
    return f"{length}, sha256 {sha256 or 'not known before the first download'}"
