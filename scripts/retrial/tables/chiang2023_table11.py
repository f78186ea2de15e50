"""chiang2023 Table 11: fluency and meaning of attacked titles, by text-davinci-003."""

from collections.abc import Mapping
from typing import Any

from retrial.tables.chiang2023_attacks import attack_table
from retrial.tables.declare import Declaration

RETIRED = "its answers about titles are not released, and the model is retired"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job. Live judges stand beside the retired one, as themselves."""
    return attack_table(
        job,
        "chiang2023 Table 11: attacked titles, another judge",
        {"text-davinci-003": ("text-davinci-003", RETIRED)},
    )
