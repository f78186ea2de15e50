"""Adapter of rule ask_judge."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.judging.backends import open_backend
from retrial.judging.job import answer_prompts
from retrial.judging.model_files import ModelFiles
from retrial.judging.store import AnswerStore
from retrial.judging.templates import load_template
from retrial.record import ANSWERS, PROMPTS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
files = ModelFiles.from_json(Path(snakemake.input.model).read_text(encoding="utf-8"))
prompts = read(Path(snakemake.input.prompts), PROMPTS)
names = sorted(set(prompts["template"].to_pylist()))
answers = answer_prompts(
    job["judge"],
    open_backend(job["spec"], files, snakemake.threads),
    prompts,
    {name: load_template(Path(job["folder"]), name) for name in names},
    AnswerStore(Path(job["store"])),
    job["chunk"],
)
run.facts = {"model": files.model, "revision": files.revision, "digest": files.asked_digest}
run.write_table(Path(snakemake.output[0]), answers, ANSWERS)
