"""A changed line of the library is named by the outputs that it made, and by no others."""

from pathlib import Path
from random import Random

import pytest
from mutation_bench import Bench, Uses
from mutation_code import copy_library, modules_with_operators, try_code
from mutation_root import make_root


@pytest.mark.parametrize("module", ["retrial.examples.methods.bm25"])
def test_changed_code_is_named_where_it_ran(tmp_path: Path, module: str) -> None:
    bench = Bench(make_root(tmp_path / "original" / "results"), tmp_path / "bench")
    scripts = copy_library(tmp_path / "library")
    assert module in modules_with_operators(scripts, "retrial/examples")
    outcome = try_code(bench, Uses(bench), scripts, module, Random(2))
    assert outcome is not None
    assert outcome.hit is not None and outcome.spared == []
    assert outcome.good, outcome
