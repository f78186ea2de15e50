"""chiang2023 Table 4: fluency and meaning of attacked titles, by people and judges."""

from collections.abc import Mapping
from typing import Any

from retrial.tables.chiang2023_attacks import attack_table
from retrial.tables.declare import Declaration

UNRELEASED = "the ratings of these teachers are not released"
RETIRED = "its answers are not released, and the ChatGPT of January 2023 can't be asked"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    return attack_table(
        job,
        "chiang2023 Table 4: fluency and meaning of attacked titles",
        {"teachers": ("teachers", UNRELEASED), "chatgpt": ("ChatGPT", RETIRED)},
    )
