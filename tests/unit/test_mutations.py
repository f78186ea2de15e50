"""Damage of every kind is named by verify and by the audits that it concerns, and by no others."""

from random import Random

import pytest
from mutation_bench import Bench, Uses
from mutation_check import audit, examine, kinds, partly, whole
from mutation_root import make_root

from retrial.audit.verify import verify

SEED = 11
NEVER_HERE = ("links",)
"""Stages that the small folder lacks: links come of recordings only."""
WHOLE = ("change: judge ratings", "forged: human ratings", "flip a byte", "source: a line")
"""Kinds tried on the full verify; the others on what is made from the damaged file."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    original = make_root(tmp_path_factory.mktemp("original") / "results")
    return Bench(original, tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def uses(bench: Bench) -> Uses:
    return Uses(bench)


def test_the_whole_folder_is_clean(bench: Bench, uses: Uses) -> None:
    links = list(verify(bench.root))
    assert [link for link in links if link.broken] == []
    assert {link.state for link in links} == {"VERIFIED", "RECORDED"}
    for table in ("chiang2023_table5", "jia2024_table2"):
        assert audit(bench.root, min(uses.of_table(table))) == []


@pytest.mark.parametrize("kind", [k for k in kinds() if not k.endswith(NEVER_HERE)])
def test_damage_is_named_and_spares_the_rest(bench: Bench, uses: Uses, kind: str) -> None:
    random = Random(f"{SEED} {kind}")
    try:
        damage = kinds()[kind](bench, uses, random)
        assert damage is not None
        outcome = examine(bench, uses, damage, random, whole if kind in WHOLE else partly)
    finally:
        bench.restore()
    assert outcome.good, outcome.told
