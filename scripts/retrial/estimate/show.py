"""The estimate as a table to read."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from retrial.config import Config, HubModel, OpenAIJudge, TransformersJudge
from retrial.estimate.machines import ASSUMPTIONS, BYTES, GPUS, gpus_needed, hours, memory_gb
from retrial.estimate.workload import Asking, Workload


@dataclass(frozen=True)
class JudgeEstimate:
    """What one judge takes. None: not known, and `note` says why."""

    judge: str
    prompts: int | None
    prompt_tokens: int | None
    answer_tokens: int | None
    stored: int
    download_gb: float | None
    memory_gb: float | None
    gpus: dict[str, int]
    hours: dict[str, float]
    note: str = ""


def estimate(workload: Workload, tables: list[str]) -> list[JudgeEstimate]:
    """One estimate for each judge that these tables ask, in the order of the tables."""
    askings = workload.askings(tables)
    judges = dict.fromkeys(a.judge for a in askings)
    found = [
        _judge(workload.config, j, [a for a in askings if a.judge == j], workload.stored(j))
        for j in judges
    ]
    return list(_each_model_once(workload.config, found))


def _each_model_once(config: Config, found: list[JudgeEstimate]) -> Iterator[JudgeEstimate]:
    """Judges that share a model (the tuned and their base) download it with the first."""
    seen = []
    for judge in found:
        source = getattr(config.judges[judge.judge], "source", None)
        yield replace(judge, download_gb=0.0) if source in seen else judge
        seen.append(source)


def _judge(config: Config, name: str, askings: list[Asking], stored: int) -> JudgeEstimate:
    spec = config.judges[name]
    unknown = sorted({a.dataset for a in askings if a.prompts is None})
    known = [a for a in askings if a.prompts is not None]
    prompts, tokens, answers = (
        sum(getattr(a, field) or 0 for a in known)
        for field in ("prompts", "prompt_tokens", "answer_tokens")
    )
    note = f"not counted, since not downloaded: {', '.join(unknown)}" if unknown else ""
    if isinstance(spec, OpenAIJudge):
        return JudgeEstimate(name, prompts, tokens, answers, stored, 0.0, 0.0, {}, {}, note)
    assert isinstance(spec, TransformersJudge)
    billions = spec.parameters_billion
    if billions is None:
        note = "; ".join(filter(None, [note, "parameters_billion is not configured"]))
        return JudgeEstimate(name, prompts, tokens, answers, stored, None, None, {}, {}, note)
    # Checkpoints of the hub hold 16-bit weights as a rule, whatever they are computed in.
    download = billions * BYTES["bfloat16"] if isinstance(spec.source, HubModel) else 0.0
    return JudgeEstimate(
        judge=name,
        prompts=prompts,
        prompt_tokens=tokens,
        answer_tokens=answers,
        stored=stored,
        download_gb=download,
        memory_gb=memory_gb(billions, spec.dtype),
        gpus={gpu.name: gpus_needed(billions, spec.dtype, gpu) for gpu in GPUS},
        hours={gpu.name: hours(billions, spec.dtype, tokens, answers, gpu) for gpu in GPUS},
        note=note,
    )


def as_json(estimates: list[JudgeEstimate]) -> dict[str, Any]:
    """Everything, with the assumptions."""
    return {"judges": [asdict(e) for e in estimates], "assumptions": list(ASSUMPTIONS)}


def lines(estimates: list[JudgeEstimate]) -> Iterator[str]:
    """The estimate as text: judges, then hours by GPU, then what was assumed."""
    yield f"{'judge':<32}{'prompts':>9}{'tokens':>12}{'answers':>11}{'stored':>9}"\
          f"{'download':>10}{'memory':>9}"  # fmt: skip
    for e in estimates:
        yield (
            f"{e.judge:<32}{_n(e.prompts):>9}{_n(e.prompt_tokens):>12}{_n(e.answer_tokens):>11}"
            f"{_n(e.stored):>9}{_gb(e.download_gb):>10}{_gb(e.memory_gb):>9}"
        )
        if e.note:
            yield f"  {e.note}"
    downloads = sum(e.download_gb or 0 for e in estimates)
    yield f"{'in all':<32}{'':>41}{_gb(downloads):>10}"
    timed = [e for e in estimates if e.hours]
    if timed:
        yield ""
        yield "hours (and GPUs, where it takes several)"
        yield f"{'judge':<32}" + "".join(f"{gpu.name:>15}" for gpu in GPUS)
        for e in timed:
            yield f"{e.judge:<32}" + "".join(f"{_hours(e, gpu.name):>15}" for gpu in GPUS)
        totals = {
            gpu.name: sum(e.hours[gpu.name] * e.gpus[gpu.name] for e in timed) for gpu in GPUS
        }
        yield f"{'GPU hours in all':<32}" + "".join(f"{totals[g.name]:>15.2f}" for g in GPUS)
    yield ""
    yield "Tokens are those of the prompts; answers counts tokens that may be generated."
    yield from (f"- {text}" for text in ASSUMPTIONS)


def _n(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _gb(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f} GB" if value else "-"


def _hours(e: JudgeEstimate, gpu: str) -> str:
    several = f" (x{e.gpus[gpu]})" if e.gpus[gpu] > 1 else ""
    return f"{e.hours[gpu]:.2f}{several}"
