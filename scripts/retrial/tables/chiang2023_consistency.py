"""chiang2023: the paper's printed tables checked by arithmetic."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retrial.consistency.chiang2023 import chiang2023_findings
from retrial.consistency.finding import Finding
from retrial.tables.declare import Declaration
from retrial.tables.findings import declaration

NOTES = ("Most of the paper's tables are not at hand, so that few of its numbers can be checked.",)


def declare(job: Mapping[str, Any]) -> Declaration:
    """How the table is presented."""
    title = "chiang2023: printed numbers checked by arithmetic and against the released answers"
    return declaration(job["table"], title, NOTES)


def findings(published: Path, recomputed: Mapping[tuple[str, str], float]) -> Iterable[Finding]:
    """Every finding on the paper, with what the released answers give."""
    return chiang2023_findings(published, recomputed)
