"""`python -m benchmarks`: measure everything, or the groups that are named."""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from importlib import import_module
from pathlib import Path

from benchmarks.growth import SIZES, measure_growth
from benchmarks.report import write

GROUPS = ("judging", "examples", "statistics", "workflow")
SMALL_SIZES = (500, 1000)


def main() -> None:
    """Every group adds its rows to the report; those of other groups stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}, growth; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a few units each: does it run?")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks"))
    asked = parser.parse_args()
    groups = asked.groups or [*GROUPS, "growth"]
    for group in groups:
        if group == "growth":
            write(asked.output, [], measure_growth(SMALL_SIZES if asked.small else SIZES))
        else:
            module = import_module(f"benchmarks.{group}")
            write(asked.output, module.workloads(asked.rounds, asked.small), [])
    print((asked.output / "benchmarks.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
