"""Drawing tokens: against the library's own processors, against frequencies, and at the ends."""

import math
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.generation.logits_process import TemperatureLogitsWarper, TopPLogitsWarper

from retrial.judging.sampling import chance, draw_tokens, probabilities

finite = st.floats(-30, 30, width=32)
rows = st.lists(finite, min_size=2, max_size=40)
temperatures = st.floats(0.05, 5.0)


def library(logits: torch.Tensor, temperature: float, top_p: float) -> torch.Tensor:
    """The distribution that transformers draws from: temperature first, then top-p."""
    ids = torch.zeros((len(logits), 1), dtype=torch.long)
    scores = TemperatureLogitsWarper(temperature)(ids, logits.double())
    if top_p < 1.0:
        scores = TopPLogitsWarper(top_p)(ids, scores)
    return torch.softmax(scores, dim=-1)


@pytest.mark.parametrize("temperature", [0.2, 0.7, 1.0, 1.9])
@pytest.mark.parametrize("top_p", [0.05, 0.5, 0.9, 0.999, 1.0])
def test_the_distribution_is_that_of_the_library(temperature, top_p):
    logits = torch.randn((7, 500), generator=torch.Generator().manual_seed(3)) * 4
    found = probabilities(logits, temperature, top_p)
    torch.testing.assert_close(found, library(logits, temperature, top_p), rtol=1e-9, atol=1e-12)


@given(rows, temperatures, st.floats(0.01, 1.0))
@settings(max_examples=60, deadline=None)
def test_rows_add_up_to_one_and_the_likeliest_token_always_stays(values, temperature, top_p):
    logits = torch.tensor([values])
    found = probabilities(logits, temperature, top_p)[0]
    assert float(found.sum()) == pytest.approx(1.0)
    full = probabilities(logits, temperature, 1.0)[0]
    assert float(found[full == full.max()].sum()) > 0
    assert float(full[found > 0].sum()) >= top_p - 1e-9
    dropped, kept = full[found == 0], full[found > 0]
    assert not len(dropped) or float(dropped.max()) <= float(kept.min())


def test_frequencies_are_the_probabilities():
    """Within five standard errors of the exact distribution, on 20,000 draws."""
    logits = torch.tensor([[1.0, 0.0, -1.0, 2.0, -8.0]])
    draws, random = 20_000, chance("ab" * 16)
    uniforms = [random.random() for _ in range(draws)]
    counts = Counter(draw_tokens(logits.expand(draws, -1), uniforms, 0.7, 0.98))
    exact = library(logits, 0.7, 0.98)[0].tolist()
    assert exact[4] == 0.0 and counts[4] == 0
    for token, p in enumerate(exact):
        error = math.sqrt(p * (1 - p) / draws)
        assert abs(counts[token] / draws - p) <= 5 * error


@given(rows, st.floats(0, 1, exclude_max=True))
@settings(max_examples=100, deadline=None)
def test_a_token_without_probability_is_never_drawn(values, uniform):
    logits = torch.tensor([[*values, -math.inf, -math.inf]])
    (drawn,) = draw_tokens(logits, [uniform], 0.7, 0.9)
    assert float(probabilities(logits, 0.7, 0.9)[0, drawn]) > 0


@pytest.mark.parametrize("uniform", [0.0, 0.5, 1 - 2**-53])
def test_the_ends_of_the_line_are_tokens_that_can_be_drawn(uniform):
    logits = torch.tensor([[-math.inf, 0.0, 0.0, -math.inf]])
    (drawn,) = draw_tokens(logits, [uniform], 1.0, 1.0)
    assert drawn == (2 if uniform >= 0.5 else 1)


def test_temperature_zero_takes_the_likeliest_whatever_the_chance():
    logits = torch.tensor([[0.0, 3.0, 1.0], [5.0, 3.0, 1.0]])
    for uniform in (0.0, 0.999):
        assert draw_tokens(logits, [uniform] * 2, 0.0, 0.1) == [1, 0]


@given(rows, st.floats(0, 1, exclude_max=True))
@settings(max_examples=60, deadline=None)
def test_a_low_temperature_is_the_likeliest_token(values, uniform):
    logits = torch.tensor([values])
    (drawn,) = draw_tokens(logits, [uniform], 1e-300, 1.0)
    assert float(logits[0, drawn]) == float(logits.max())


def test_a_row_draws_the_same_beside_any_other():
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn((9, 300), generator=generator)
    uniforms = torch.rand(9, generator=generator).tolist()
    together = draw_tokens(logits, uniforms, 0.7, 0.9)
    alone = [draw_tokens(logits[i : i + 1], [u], 0.7, 0.9)[0] for i, u in enumerate(uniforms)]
    assert together == alone


def test_chance_is_that_of_the_request():
    first, again, other = chance("0f" * 16), chance("0f" * 16), chance("0e" * 16)
    drawn = [first.random() for _ in range(5)]
    assert drawn == [again.random() for _ in range(5)] != [other.random() for _ in range(5)]
