"""Many random mutations of a finished results folder: how many are caught, by kind.

    python tests/run_mutations.py results/released --sources FOLDER --mutations 120 --full 40

FOLDER holds raw/<source>/<file> and published/*.csv. Works on a copy in a temporary folder.
"""

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent / "unit"))

from mutation_bench import Bench, Uses
from mutation_check import Outcome, examine, kinds, partly, whole


def main() -> None:
    """Run, and print a line for each miss and a table by kind."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        bench = Bench(options.root, Path(folder), options.sources)
        outcomes = list(_run(bench, options))
    _print(outcomes)
    sys.exit(any(not outcome.good for outcome in outcomes))


def _run(bench: Bench, options: argparse.Namespace) -> list[Outcome]:
    uses, random = Uses(bench), Random(options.seed)
    wanted = [k for k in kinds() if not options.kinds or any(o in k for o in options.kinds)]
    found: list[Outcome] = []
    turn, idle = 0, 0
    while len(found) < options.mutations and idle < 3 * len(wanted):
        mutate = kinds()[wanted[turn % len(wanted)]]
        turn += 1
        damage = mutate(bench, uses, random)
        if damage is None:
            bench.restore()
            idle += 1
            continue
        idle, start = 0, perf_counter()
        check = whole if len(found) % max(1, options.mutations // options.full) == 0 else partly
        found.append(examine(bench, uses, damage, random, check))
        bench.restore()
        mark = "ok" if found[-1].good else "MISS"
        print(f"{len(found)} {mark} {damage.kind} {check.__name__} {damage.place} "
              f"{perf_counter() - start:.1f} s", flush=True)  # fmt: skip
        for line in found[-1].told:
            print(f"    {line[:600]}")
    return found


def _print(outcomes: list[Outcome]) -> None:
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        counts = by_kind[outcome.damage.kind]
        counts["done"] += 1
        counts["verify"] += outcome.verified
        counts["audit"] += outcome.audited is True
        counts["audits"] += outcome.audited is not None
        counts["clean"] += outcome.clean is True
        counts["cleans"] += outcome.clean is not None
    print("\n| kind | mutations | verify names it | audit names it | others stay clean |")
    print("|---|---|---|---|---|")
    for kind, c in sorted(by_kind.items()):
        print(f"| {kind} | {c['done']} | {c['verify']} | {c['audit']} of {c['audits']} "
              f"| {c['clean']} of {c['cleans']} |")  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--mutations", type=int, default=100)
    parser.add_argument("--full", type=int, default=30, help="so many by the full verify")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=[])
    return parser.parse_args()


if __name__ == "__main__":
    main()
