"""The jobs behind a results folder: the sidecars of one job's outputs, taken together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from retrial.audit.sidecars import Sidecar
from retrial.digest import content_id
from retrial.exchange.portable import portable


@dataclass(frozen=True)
class Job:
    """One run of one rule. `outputs` and `inputs` map recorded paths to digests.

    `parameters` and `facts` hold neither secrets nor absolute paths; `started` and `ended` are UTC
    times, ISO 8601, `ended` that of the last output.
    """

    id: str
    rule: str
    code_digest: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    parameters: dict[str, Any]
    facts: dict[str, Any]
    started: str
    ended: str
    job: dict[str, Any]

    @property
    def tool(self) -> str:
        """The id of the code that ran: the rule, and the digest of its code."""
        return f"#{self.rule}-{self.code_digest or 'unknown'}"


def jobs_of(sidecars: Iterable[Sidecar]) -> list[Job]:
    """All jobs, by start, rule and id. Damaged sidecars are left out: `verify` names them."""
    grouped: dict[str, list[Sidecar]] = {}
    for sidecar in sidecars:
        if not sidecar.fault:
            grouped.setdefault(_identity(sidecar), []).append(sidecar)
    jobs = [_job(identity, outputs) for identity, outputs in grouped.items()]
    return sorted(jobs, key=lambda job: (job.started, job.rule, job.id))


def _identity(sidecar: Sidecar) -> str:
    same = {name: value for name, value in sidecar.job.items() if name != "ended"}
    return content_id([same, sidecar.record["inputs"], sidecar.parameters])


def _job(identity: str, outputs: list[Sidecar]) -> Job:
    first = outputs[0]
    facts: dict[str, Any] = {}
    for sidecar in outputs:
        facts.update(sidecar.record.get("facts") or {})
    return Job(
        id=identity,
        rule=first.rule or "unnamed",
        code_digest=str(first.job.get("code_digest") or ""),
        inputs=dict(sorted(first.inputs.items())),
        outputs={s.place: s.sha256 for s in sorted(outputs, key=lambda s: s.place)},
        parameters=portable(first.parameters),
        facts=portable(facts),
        started=str(first.job.get("started") or ""),
        ended=max(str(s.job.get("ended") or "") for s in outputs),
        job=first.job,
    )
