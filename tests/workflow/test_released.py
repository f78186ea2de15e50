"""The published story numbers from the released answers, against an independent computation."""

import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from checkout import Checkout
from independent_chiang2023 import independent_statistics

pytestmark = [pytest.mark.workflow, pytest.mark.realdata]
ROOT = Path("results/released")
RECORDINGS = {
    ("text-davinci-003", "plain"): "davinci-temp-1-top_p-0.9.json",
    ("text-davinci-003", "persona"): "davinci-persona-temp-1-top_p-0.9.json",
    ("text-davinci-003", "explain"): "davinci-explain-temp-1-top_p-0.9.json",
    ("text-curie-001", "plain"): "curie-temp-1-top_p-0.9.json",
}


def values(checkout: Checkout, table: str) -> dict[tuple[str, str], float]:
    cells = pq.read_table(checkout.folder / ROOT / f"tables/{table}.parquet").to_pylist()
    return {(c["row"], c["column"]): c["value"] for c in cells if c["value"] is not None}


def test_cells_equal_the_independent_computation(released: Checkout, mirror: Path) -> None:
    table1, table3 = values(released, "chiang2023_table1"), values(released, "chiang2023_table3")
    names = {"mean": "mean", "sd": "sd", "alpha": "alpha", "agreement_percent": "exact"}
    compared = 0
    for (judge, condition), file in RECORDINGS.items():
        independent = independent_statistics(mirror / "llm-evaluation" / file)
        for (writer, attribute), wanted in independent.items():
            for suffix, key in names.items():
                column = f"{attribute}_{suffix}"
                for found in (
                    table1.get((f"{judge} / {writer}", column)) if condition == "plain" else None,
                    table3.get((f"{judge} / {condition} / {writer}", column)),
                ):
                    if found is not None:
                        assert math.isclose(found, wanted[key], abs_tol=1e-9), (judge, column)
                        compared += 1
    assert compared == 4 * 8 * 2 + 3 * 8 * 3


def test_verify_is_clean_and_nothing_is_left_to_do(released: Checkout) -> None:
    done = released.retrial("verify", str(ROOT))
    assert done.returncode == 0, done.stdout
    assert "Nothing to be done" in released.snakemake("released")


@pytest.mark.parametrize(
    "cell", ["[t0].cohesiveness_gap", "[text-curie-001].relevance_gap", "[t0].relevance_gap"]
)
def test_a_cell_printed_in_another_table_audits(released: Checkout, cell: str) -> None:
    """The gaps' printed values stand in the file as Table 1's."""
    done = released.retrial("audit", f"chiang2023_gaps{cell}", "--root", "results/released")
    assert done.returncode == 0, done.stdout


def test_locale_and_time_zone_change_no_value(released: Checkout) -> None:
    odd = {"LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Pacific/Kiritimati"}
    target = "results/odd/tables/chiang2023_table1.parquet"
    released.snakemake("released", target, "--config", "results=results/odd", **odd)
    folder = released.folder
    assert (folder / target).read_bytes() == (
        folder / ROOT / "tables/chiang2023_table1.parquet"
    ).read_bytes()
