"""What of a results folder and of the project goes into a bundle."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from retrial.audit.manifest import MANIFEST, sealed_files, sealed_paths
from retrial.audit.sidecars import CHECKOUT, Folder
from retrial.errors import RetrialError
from retrial.exchange.portable import secret_in
from retrial.record import SUFFIX

WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf")
WORKFLOW = "workflow"
WORKFLOW_FILES = ("Snakefile", "config.yaml", "rules/*.smk", "envs/*", "LICENSE", "CITATION.cff")
DATA_FILES = ("sources.yaml", "published/*.csv", "prompts/*.yaml")
READ_FOR_SECRETS = (".json", ".yaml")


@dataclass(frozen=True)
class Contents:
    """Members: path in the bundle -> file. `weights`: those left out, with their digests."""

    members: dict[str, Path] = field(default_factory=dict)
    weights: dict[str, Path] = field(default_factory=dict)


def contents(folder: Folder, data: Path, workflow: Path | None = None) -> Contents:
    """All that a bundle holds before anything is withheld, sorted by path.

    Raises RetrialError for a file that seems to hold a key or a password, and for links, which
    could point anywhere.
    """
    found = Contents()
    for path in sealed_paths(folder):
        if path.is_symlink():
            raise RetrialError(f"{path}: a link; a bundle holds files only: put the file there")
    for place, path in _results(folder):
        held = found.weights if path.suffix in WEIGHTS else found.members
        held[place] = path
    found.members.update(workflow_files(workflow or CHECKOUT))
    for pattern in DATA_FILES:
        for path in sorted(data.glob(pattern)):
            found.members[f"data/{path.relative_to(data).as_posix()}"] = path
    refuse_secrets(found.members)
    return found


def _results(folder: Folder) -> Iterator[tuple[str, Path]]:
    """All that a manifest would seal, then the manifest itself with its sidecar."""
    yield from sealed_files(folder).items()
    for name in (MANIFEST, MANIFEST + SUFFIX):
        if (folder.root / name).is_file():
            yield name, folder.root / name


def workflow_files(checkout: Path) -> dict[str, Path]:
    """The workflow's own files, below `workflow/`. RetrialError when there is no Snakefile."""
    if not (checkout / "Snakefile").is_file():
        raise RetrialError(f"{checkout}: holds no Snakefile; run this from a checkout of Retrial")
    paths = (p for pattern in WORKFLOW_FILES for p in sorted(checkout.glob(pattern)))
    return {f"{WORKFLOW}/{p.relative_to(checkout).as_posix()}": p for p in paths if p.is_file()}


def refuse_secrets(members: Mapping[str, Path]) -> None:
    """RetrialError for a text member that seems to hold a key or a password."""
    for path in members.values():
        if path.suffix in READ_FOR_SECRETS:
            found = secret_in(path.read_text(encoding="utf-8", errors="replace"))
            if found:
                raise RetrialError(f"{path}: seems to hold a secret ({found}); take it out first")
