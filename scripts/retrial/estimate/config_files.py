"""The configuration of a profile, read the way Snakemake reads it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from retrial.config import Config, load_config
from retrial.errors import RetrialError


def configured(profile: Path | None, overlays: Iterable[Path] = ()) -> Config:
    """config.yaml of the working folder, with a profile's overlays and then others on top.

    Dictionaries are merged and lists replaced. Raises RetrialError for a missing file.
    """
    merged = _yaml(Path("config.yaml"))
    for path in (*_overlays(profile), *overlays):
        merged = merge(merged, _yaml(path))
    return load_config(merged)


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` laid over `below`, dictionary by dictionary."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(old, value) if both else value  # type: ignore[arg-type]
    return merged


def _overlays(profile: Path | None) -> list[Path]:
    if profile is None:
        return []
    listed = _yaml(profile / "config.yaml").get("configfile", [])
    return [Path(path) for path in ([listed] if isinstance(listed, str) else listed)]


def _yaml(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RetrialError(f"{path}: there is no such file here; run this in the root") from error
    except yaml.YAMLError as error:
        raise RetrialError(f"{path}: {error}") from error
    return dict(found or {})
