"""The catalogue of downloads, `data/sources.yaml`, as typed objects."""

import difflib
import ipaddress
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    StringConstraints,
    ValidationError,
    model_validator,
)
from yaml.nodes import MappingNode

from retrial.errors import RetrialError

SourceId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(min_length=1)]

_ADDRESS = re.compile(r"^(?P<scheme>https?)://(?P<host>\[[^\]]+\]|[^/:@?#]+)(:\d+)?(?P<rest>/\S*)$")
_COMMIT = re.compile(r"^/[^/]+/[^/]+/[0-9a-f]{40}/")


def is_loopback(host: str) -> bool:
    """Whether a host name or address names this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceFile(_Strict):
    """One file: its address, what its bytes must be, and how far that is known.

    `trust` is `pinned` (`sha256` and `bytes` enforced) or `first-use` (the first download's
    digest is recorded and enforced later; a `sha256` given here is only compared, with a
    warning). `max_bytes` bounds a download whose size isn't known. `by_hand` tells how to get the
    file where the address can't be read by a program.
    """

    url: Text
    trust: Literal["pinned", "first-use"]
    sha256: Sha256 | None = None
    bytes: PositiveInt | None = None
    max_bytes: PositiveInt | None = None
    by_hand: Text | None = None

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        match = _ADDRESS.match(self.url)
        if match is None:
            raise ValueError("url: it must be https://host/path, without user or password")
        if match["scheme"] == "http" and not is_loopback(match["host"]):
            raise ValueError(f"url: {self.url} must be https")
        if match["host"] == "raw.githubusercontent.com" and not _COMMIT.match(match["rest"]):
            raise ValueError(f"url: {self.url} must name a 40-digit commit, not a branch")
        return self

    @model_validator(mode="after")
    def _check_trust(self) -> Self:
        if self.trust == "pinned" and (self.sha256 is None or self.bytes is None):
            raise ValueError("trust pinned needs both sha256 and bytes")
        if self.trust == "pinned" and self.max_bytes is not None:
            raise ValueError("trust pinned takes bytes, not max_bytes")
        if self.trust == "first-use" and (self.bytes is not None or self.max_bytes is None):
            raise ValueError("trust first-use takes max_bytes, not bytes")
        return self


class Source(_Strict):
    """One publication's files, with the licence as its authors state it (or `none stated`)."""

    title: Text
    homepage: Text
    citation: Text
    licence: Text
    note: Text
    files: dict[FileName, SourceFile] = Field(min_length=1)


class Sources(_Strict):
    """The whole catalogue: source id -> source."""

    sources: dict[SourceId, Source] = Field(min_length=1)

    def source(self, source_id: str) -> Source:
        """The source of that id; RetrialError with the nearest known id where there is none."""
        if source_id not in self.sources:
            raise RetrialError(_unknown("source", source_id, self.sources, "data/sources.yaml"))
        return self.sources[source_id]

    def file(self, source_id: str, name: str) -> SourceFile:
        """One file of a source; RetrialError with the nearest known name where there is none."""
        files = self.source(source_id).files
        if name not in files:
            raise RetrialError(_unknown("file", name, files, f"source {source_id}"))
        return files[name]

    def walk(self) -> Iterator[tuple[str, str, SourceFile]]:
        """Every (source id, file name, file), in the catalogue's order."""
        for source_id, source in self.sources.items():
            for name, file in source.files.items():
                yield source_id, name, file


def load_sources(path: Path) -> Sources:
    """Read and check a catalogue; RetrialError names the file and each wrong key."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RetrialError(f"{path}: the catalogue of sources can't be read: {error}") from error
    try:
        return Sources.model_validate(content)
    except ValidationError as error:
        lines = [f"  {_where(fault['loc'])}: {fault['msg']}" for fault in error.errors()]
        message = "\n".join([f"{path}: the catalogue of sources is wrong:", *lines])
        raise RetrialError(message) from error


def _where(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "(top level)"


def _unknown(kind: str, name: str, known: Iterable[str], where: str) -> str:
    names = sorted(known)
    folded = {known_name.casefold(): known_name for known_name in names}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    hint = f"did you mean {folded[near[0]]!r}? " if near else ""
    return f"{where}: there is no {kind} {name!r}; {hint}known: {', '.join(names)}"


class _UniqueKeys(yaml.SafeLoader):
    """A loader that refuses a key written twice, of which YAML would silently keep the last."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} is written twice",
                    problem_mark=key.start_mark,
                )
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep=deep))
