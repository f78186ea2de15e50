"""jia2024: the paper's printed tables checked by arithmetic."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retrial.consistency.finding import Finding
from retrial.consistency.jia2024 import jia2024_findings
from retrial.tables.declare import Declaration
from retrial.tables.findings import declaration


def declare(job: Mapping[str, Any]) -> Declaration:
    """How the table is presented."""
    return declaration(job["table"], "jia2024: the printed tables checked by arithmetic")


def findings(published: Path, recomputed: Mapping[tuple[str, str], float]) -> Iterable[Finding]:
    """Every finding on the paper; nothing recomputed is needed."""
    return jia2024_findings(published)
