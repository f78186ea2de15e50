"""Verifying a results folder: digests, the manifest, and everything that can be recomputed."""

from collections.abc import Iterator
from pathlib import Path

from retrial.audit.digests import folder_digests, verify_digests
from retrial.audit.manifest import check_manifest
from retrial.audit.sidecars import open_folder
from retrial.audit.states import Link

__all__ = ["Link", "verify", "verify_digests"]


def verify(root: Path, *, quick: bool = False) -> Iterator[Link]:
    """Every link of a results folder with its state.

    `quick` looks at digests only. Otherwise ids, ratings, tables and renderings are also made
    again from their inputs, and items and recordings from the sources where these are at hand.
    Raises RetrialError when `root` holds no record at all.
    """
    folder = open_folder(root)
    yield from folder_digests(folder)
    yield from check_manifest(folder)
    if not quick:
        from retrial.audit.recompute import recompute

        yield from recompute(folder)
