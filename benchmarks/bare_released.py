"""The statistics of `make released` as a bare script: one process, no workflow, no rendering.

The same library calls on the same files in the same order; what it leaves out is what the
workflow adds: Snakemake, a process a job, sidecars, renderings, figures, report.
"""

import sys
from pathlib import Path

import pyarrow as pa

from benchmarks.material import PROJECT, config, raw_file
from retrial.items.build import build_items
from retrial.judging.backends.recording import read_recording
from retrial.links.story_order import recover_order
from retrial.plan import RECORDED, Plan
from retrial.published import load_published
from retrial.record import to_parquet
from retrial.scoring.job import rate_by_job
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

DATASET = "chiang2023-stories"


def make_tables(root: Path) -> None:
    """Items, answers, ratings and cells below `root`."""

    def put(name: str, table: pa.Table) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_parquet(table))

    plan = Plan(config())
    spec = plan.config.datasets[DATASET]
    items, human = build_items(DATASET, spec, [raw_file("llm-evaluation", f) for f in spec.files])
    put(f"items/{DATASET}.parquet", items)
    put(f"ratings/human/{DATASET}.parquet", human)
    rating = plan.rating_job(RECORDED, {})
    for judge, recording in plan.recordings(plan.config.judges).items():
        files = [raw_file(recording.source, f.file) for f in recording.files]
        recorded, prompts, answers = read_recording(judge, recording, files)
        rated = rate_by_job(prompts, answers, rating)
        put(f"items/{recording.family}.parquet", recorded)
        put(f"answers/{judge}/{recording.family}/recorded.parquet", answers)
        put(f"ratings/{judge}/{recording.family}/recorded.parquet", rated)
        if recording.released:
            order = recover_order(recorded, prompts, answers, items)
            put(f"links/{recording.family}.parquet", order)
    _build(plan, root, put)


def _build(plan: Plan, root: Path, put: object) -> None:
    printed = Printed.of(load_published(PROJECT / plan.config.published / "chiang2023.csv"))
    statistics = plan.config.statistics
    bootstrap = Bootstrap(statistics.resamples, statistics.level, statistics.seed)
    for table in plan.config.make:
        if table.startswith("chiang2023") and not table.endswith("consistency"):
            declaration = declaration_of(plan.table_job(table))
            cells = build_cells(declaration, Results(root), printed, bootstrap)
            put(f"tables/{table}.parquet", cells)  # type: ignore[operator]


if __name__ == "__main__":
    make_tables(Path(sys.argv[1]))
