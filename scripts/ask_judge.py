"""Adapter of rule ask_judge."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.job_lock import only_one
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
locks = [Path(path).read_text(encoding="utf-8") for path in snakemake.input.model]
files = ModelFiles.from_json(locks[0]) if locks else None
prompts = read(Path(snakemake.input.prompts), PROMPTS)
adapter = next((Path(path).parent for path in snakemake.input.adapter), None)
names = sorted(set(prompts["template"].to_pylist()))
templates = {name: load_template(Path(job["folder"]), name) for name in names}
store = AnswerStore(Path(job["store"]))
wildcards = snakemake.wildcards
with only_one(store.folder / f".{wildcards.dataset}.{wildcards.experiment}.lock"):
    backend = open_backend(job["spec"], files, snakemake.threads, adapter, job["conditions"])
    answers = answer_prompts(job["judge"], backend, prompts, templates, store, job["chunk"])
run.facts = (
    {"model": files.model, "revision": files.revision, "digest": files.asked_digest}
    if files
    else {"model": job["spec"]["model"], "revision": job["spec"].get("revision", "")}
)
run.write_table(Path(snakemake.output[0]), answers, ANSWERS)
