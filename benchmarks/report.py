"""The measurements as a table: Parquet, Markdown, PNG, and summary.json."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.rounds import Measured

PACKAGES = ("torch", "transformers", "lm_eval", "rank-bm25", "bm25s", "scipy", "krippendorff",
            "snakemake")  # fmt: skip
HEADLINE = {
    "zero-shot": "lm-evaluation-harness",
    "random-4": "lm-evaluation-harness",
    "story": "lm-evaluation-harness",
    "bm25": "rank_bm25",
    "bootstrap": "loop over scipy and krippendorff",
}
"""The peer that a workload's ratio in summary.json is against."""


def write(folder: Path, measured: Sequence[Measured], growth: Sequence[Mapping[str, Any]]) -> None:
    """Everything into `folder`; results of workloads that were not run this time are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for m in measured for row in _rows(m)]
    place = folder / "rounds.parquet"
    if place.exists():
        fresh = {row["workload"] for row in rows}
        rows = [r for r in pq.read_table(place).to_pylist() if r["workload"] not in fresh] + rows
    if rows:
        pq.write_table(pa.Table.from_pylist(rows), place)
    grown = folder / "growth.parquet"
    if growth:
        pq.write_table(pa.Table.from_pylist(list(growth)), grown)
    growth = pq.read_table(grown).to_pylist() if grown.exists() else []
    if growth:
        _draw_growth(folder / "growth.png", growth)
    _write_summary(folder / "summary.json", measured)
    (folder / "benchmarks.md").write_text(_markdown(rows, growth), encoding="utf-8")
    if rows:
        _draw(folder / "benchmarks.png", rows)


def machine() -> str:
    """Processor, cores, Python and the versions of what was measured."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"


def _rows(m: Measured) -> list[dict[str, Any]]:
    return [
        {
            "workload": m.workload,
            "contender": name,
            "unit": m.unit,
            "units": m.units,
            "rounds": m.rounds,
            "cpu_seconds": seconds,
            "wall_seconds": m.wall_seconds[name],
            "median_cpu_s": m.cost(name),
            "ratio": m.ratio(name),
            "equal": m.equal(name),
            "compared": name in m.largest_difference,
            "largest_difference": m.largest_difference.get(name),
            "share": m.shares[name],
            "ceiling": m.ceiling,
            "note": m.note,
            "machine": machine(),
            "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        for name, seconds in m.cpu_seconds.items()
    ]


def _write_summary(path: Path, measured: Sequence[Measured]) -> None:
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for m in measured:
        if peer := HEADLINE.get(m.workload):
            found[m.workload] = {"ratio": round(m.ratio(peer), 2), "peer": peer,
                                 "equal": m.equal(peer)}  # fmt: skip
    path.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _markdown(rows: Sequence[Mapping[str, Any]], growth: Sequence[Mapping[str, Any]]) -> str:
    lines = ["# Benchmarks", "", f"{machine()}.", "",
             "CPU seconds, medians of alternating rounds in one process; `ratio` is the median of "
             "each round's cost over Retrial's in the same round.", "",
             "| workload | contender | units | CPU s | per CPU s | ratio | output |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        speed = row["units"] / row["median_cpu_s"] if row["median_cpu_s"] else float("nan")
        scaled = f" (from {row['share']:.1%})" if row["share"] < 1 else ""
        lines.append(
            f"| {row['workload']} | {row['contender']} | {row['units']} {row['unit']} | "
            f"{row['median_cpu_s']:.2f}{scaled} | {speed:.3g} | {row['ratio']:.2f} | "
            f"{_output(row)} |"
        )
    notes = {row["workload"]: row for row in rows}
    lines += ["", *(f"- {name}: {row['note']}{_ceiling(row)}." for name, row in notes.items())]
    if growth:
        lines += ["", "| prompts in a job | asking, CPU s | resuming, CPU s | peak MB |",
                  "|---|---|---|---|",
                  *(f"| {r['prompts']:,} | {r['asking_cpu_s']:.1f} | {r['resuming_cpu_s']:.1f} | "
                    f"{r['peak_mb']:.0f} |" for r in growth),
                  "", "A stub answers in place of a model: this is the job around it."]  # fmt: skip
    return "\n".join(lines) + "\n"


def _output(row: Mapping[str, Any]) -> str:
    if not row["compared"]:
        return "not comparable"
    return "equal" if row["equal"] else f"differs by {row['largest_difference']:.2g}"


def _ceiling(row: Mapping[str, Any]) -> str:
    if row["ceiling"] is None:
        return ""
    return f"; computing each shared beginning once would be {row['ceiling']:.2f} times the loop"


def _draw(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    peers = [row for row in rows if row["ratio"] != 1.0]
    names = [f"{row['workload']}\n{row['contender']}" for row in peers][::-1]
    figure, panel = plt.subplots(figsize=(6.4, 0.9 + 0.42 * len(peers)), layout="constrained")
    values = [row["ratio"] for row in peers][::-1]
    panel.barh(names, values, color="#0072b2", height=0.6)
    panel.axvline(1, color="#444444", linewidth=0.8)
    panel.set_xscale("log")
    panel.set_xlabel("CPU time of the peer, in times Retrial's")
    for place, value in enumerate(values):
        panel.annotate(f"{value:.3g}", (max(value, 1), place), xytext=(4, 0), fontsize=8,
                       textcoords="offset points", va="center")  # fmt: skip
    panel.set_xlim(right=max([2.0, *values]) * 3)
    panel.tick_params(axis="y", labelsize=7.5)
    panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _draw_growth(path: Path, growth: Sequence[Mapping[str, Any]]) -> None:
    sizes = [row["prompts"] for row in growth]
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.6), layout="constrained")
    left.plot(sizes, [r["asking_cpu_s"] for r in growth], marker="o", label="asking all")
    left.plot(sizes, [r["resuming_cpu_s"] for r in growth], marker="s", label="nothing to ask")
    left.set_ylabel("CPU seconds")
    left.legend(frameon=False, fontsize=8)
    right.plot(sizes, [r["peak_mb"] for r in growth], marker="o", color="#d55e00")
    right.set_ylabel("peak memory, MB")
    for panel in (left, right):
        panel.set_xlabel("prompts in a job")
        panel.set_ylim(bottom=0)
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)
