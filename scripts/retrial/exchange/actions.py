"""What was run: the workflow, its tools and steps, one action for each job, one for the whole."""

from typing import Any

from retrial import __version__
from retrial.exchange.contents import WORKFLOW
from retrial.exchange.entities import Crate
from retrial.exchange.jobs import Job
from retrial.exchange.terms import (
    OWN_LICENCE,
    PARAMETER_PROFILE,
    RESULTS,
    SNAKEMAKE,
    WORKFLOW_PROFILE,
)

MAIN = f"{WORKFLOW}/Snakefile"
MAIN_KINDS = ("SoftwareSourceCode", "ComputationalWorkflow", "HowTo")
LOCK = f"{WORKFLOW}/envs/retrial.lock"
FACTS = ("retrial", "python", "machine", "lock_sha256")
"""What of a job's surroundings is told; its host is not."""


def add_run(crate: Crate, jobs: list[Job]) -> None:
    """Add the workflow and all of its jobs."""
    workflow = _workflow(crate)
    tools = {job.tool: _tool(crate, job) for job in jobs}
    steps = {tool: _step(crate, n, entity) for n, (tool, entity) in enumerate(tools.items(), 1)}
    workflow["hasPart"] = list(tools.values())
    workflow["step"] = list(steps.values())
    actions = [_action(crate, job, tools[job.tool]) for job in jobs]
    whole = _whole(crate, workflow, jobs)
    controls = [
        crate.add(f"#control-{job.id}", "ControlAction", name=f"ran {job.rule}",
                  instrument=steps[job.tool], object=action)
        for job, action in zip(jobs, actions, strict=True)
    ]  # fmt: skip
    engine = crate.add("#snakemake", "SoftwareApplication", name="Snakemake", url=SNAKEMAKE)
    crate.add("#organised", "OrganizeAction", name="Snakemake ran the jobs", instrument=engine,
              object=controls, result=whole, startTime=jobs[0].started,
              endTime=max(job.ended for job in jobs))  # fmt: skip
    crate.mention([whole, *actions])


def _workflow(crate: Crate) -> Any:
    language = crate.add("#snakemake-language", "ComputerLanguage", name="Snakemake",
                         identifier={"@id": SNAKEMAKE}, url={"@id": SNAKEMAKE})  # fmt: skip
    profile = crate.add(WORKFLOW_PROFILE, "CreativeWork", name="ComputationalWorkflow profile")
    workflow = crate.get(MAIN)
    workflow["name"] = "Retrial"
    workflow["description"] = "As it was when the crate was written; jobs name the code that ran."
    workflow["version"] = __version__
    workflow["programmingLanguage"] = language
    workflow["conformsTo"] = profile
    workflow["license"] = crate.get(OWN_LICENCE)
    crate.main(workflow)
    return workflow


def _tool(crate: Crate, job: Job) -> Any:
    git = job.job.get("git") or {}
    commit = f"commit {git['commit']}{' with changes' if git.get('dirty') else ''}"
    version = f"code digest {job.code_digest}" + (f", {commit}" if git.get("commit") else "")
    same_lock = crate.files.get(LOCK) == job.job.get("lock_sha256")
    lock = crate.file(LOCK) if same_lock and LOCK in crate.files else None
    return crate.add(job.tool, "SoftwareApplication", name=job.rule, softwareVersion=version,
                     softwareRequirements=lock,
                     description=f"The rule {job.rule} and the code that it ran.",
                     url=SNAKEMAKE)  # fmt: skip


def _step(crate: Crate, position: int, tool: Any) -> Any:
    return crate.add(f"#step-{tool.id.removeprefix('#')}", "HowToStep", position=str(position),
                     name=tool["name"], workExample=tool)  # fmt: skip


def _action(crate: Crate, job: Job, tool: Any) -> Any:
    read = [crate.input(path, sha256) for path, sha256 in job.inputs.items()]
    written = [crate.output(place, sha256) for place, sha256 in job.outputs.items()]
    about = {name: job.job.get(name) for name in FACTS if job.job.get(name)}
    named = {**{f"parameter {n}": v for n, v in job.parameters.items()},
             **{f"fact {n}": v for n, v in job.facts.items()},
             **{f"environment {n}": v for n, v in about.items()}}  # fmt: skip
    values = [crate.value(f"#{job.id}-{name.replace(' ', '-')}", name.split(" ", 1)[1], value)
              for name, value in named.items()]  # fmt: skip
    return crate.add(
        f"#job-{job.id}",
        "CreateAction",
        name=f"{job.rule}: {', '.join(job.outputs)}",
        description=f"One run of {job.rule}.",
        instrument=tool,
        object=[*read, *values],
        result=written,
        startTime=job.started,
        endTime=job.ended,
    )


def _whole(crate: Crate, workflow: Any, jobs: list[Job]) -> Any:
    """The run of the workflow: from what no job made to what it is run for."""
    made = {place for job in jobs for place in job.outputs}
    outside = {p: sha256 for job in jobs for p, sha256 in job.inputs.items() if p not in made}
    read = [crate.input(path, sha256) for path, sha256 in sorted(outside.items())]
    outputs = {place: sha256 for job in jobs for place, sha256 in job.outputs.items()}
    wanted = {p: s for p, s in outputs.items() if p.startswith(RESULTS)} or outputs
    written = [crate.output(place, sha256) for place, sha256 in sorted(wanted.items())]
    _parameter(crate, workflow, "input", "sources", read)
    _parameter(crate, workflow, "output", "results", written)
    return crate.add(
        "#run",
        "CreateAction",
        name="Run of Retrial",
        description="The jobs of this results folder together; they may have run at several times.",
        instrument=workflow,
        object=read,
        result=written,
        startTime=min(job.started for job in jobs),
        endTime=max(job.ended for job in jobs),
    )


def _parameter(crate: Crate, workflow: Any, role: str, name: str, files: list[Any]) -> None:
    """A formal parameter of the workflow; those without a file in the crate are left out."""
    shown = [entity for entity in files if "File" in _types(entity)]
    if not shown:
        return
    profile = crate.add(PARAMETER_PROFILE, "CreativeWork", name="FormalParameter profile")
    parameter = crate.add(f"#{name}", "FormalParameter", name=name, additionalType="File",
                          workExample=shown, conformsTo=profile)  # fmt: skip
    workflow[role] = [parameter]
    for entity in shown:
        entity["exampleOfWork"] = parameter


def _types(entity: Any) -> list[str]:
    kinds = entity["@type"]
    return [kinds] if isinstance(kinds, str) else list(kinds)
