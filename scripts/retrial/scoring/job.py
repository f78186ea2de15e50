"""Rating as a job's parameters say it: for the rule, and for whoever checks its output."""

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from retrial.scoring.forms import forms_of
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers


def rate_by_job(
    prompts: pa.Table,
    answers: pa.Table,
    job: Mapping[str, Any],
    readings: Collection[str] | None = None,
) -> pa.Table:
    """The ratings of answers under the parameters of rate_answers (see Plan.rating_job).

    With `readings`, only the parsers among them read the texts.
    """
    parsers = [name for name in job["parsers"] if readings is None or name in readings]
    return rate_answers(
        prompts,
        answers,
        top_k=job["top_k"],
        low_mass=job["low_mass"],
        parsers={name: get(name) for name in parsers},
        forms=forms_of(job.get("forms", {})),
    )
