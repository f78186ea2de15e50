"""Adapter of the rules read_recording_<judge>."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import RecordingJudge
from retrial.judging.backends.recording import read_recording
from retrial.record import ANSWERS, ITEMS, PROMPTS

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
spec = RecordingJudge.model_validate({"label": "", **run.parameters["spec"]})
paths = [Path(p) for p in snakemake.input]
items, prompts, answers = read_recording(run.parameters["judge"], spec, paths)
run.write_table(Path(snakemake.output.stories[0]), items, ITEMS)
run.write_table(Path(snakemake.output.prompts[0]), prompts, PROMPTS)
run.write_table(Path(snakemake.output.answers[0]), answers, ANSWERS)
