"""Printing values: decimal digits, ties half up, nothing undefined printed as a number."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.tables.format import UNDEFINED, FormatError, print_value


@pytest.mark.parametrize(
    ("value", "form", "printed"),
    [
        (10 / 16, ".2f", "0.63"),
        (30 / 48, ".2f", "0.63"),
        (-0.625, ".2f", "-0.63"),
        (29 / 200, ".2f", "0.15"),  # stored as 0.14499999999999999
        (0.1 + 0.2 + 0.325, ".2f", "0.63"),  # a sum that misses the tie by 1e-16
        (0.6249, ".2f", "0.62"),
        (0.625, ".0%", "63%"),
        (0.125, ".0%", "13%"),
        (0.62, ".0%", "62%"),
        (0.0005, ".3f", "0.001"),
        (0.9134, ".3f", "0.913"),
        (2.5, "d", "3"),
        (50.0, "d", "50"),
        (12345.0, ",d", "12,345"),
        (1.0, ".2f", "1.00"),
        (-0.004, ".2f", "0.00"),
        (-0.0, ".0%", "0%"),
        (math.inf, ".2f", "∞"),
        (-math.inf, ".2f", "-∞"),
    ],
)
def test_prints_half_up(value: float, form: str, printed: str) -> None:
    assert print_value(value, form) == printed


@pytest.mark.parametrize("value", [None, math.nan])
def test_undefined_is_a_dash(value: float | None) -> None:
    assert print_value(value, ".2f") == UNDEFINED


@pytest.mark.parametrize("form", ["two digits", "s.2", ".2q"])
def test_a_bad_format_is_named(form: str) -> None:
    with pytest.raises(FormatError, match="no format for a number"):
        print_value(0.5, form)


@given(st.integers(-(10**6), 10**6))
def test_half_units_always_move_away_from_zero(units: int) -> None:
    """k + 1/2 hundredths print as k + 1 hundredths, whatever the binary float made of them."""
    tie = (abs(units) * 10 + 5) / 1000
    assert Decimal(print_value(tie, ".2f")) == Decimal(abs(units) + 1) / 100
    assert Decimal(print_value(-tie, ".2f")) == -Decimal(abs(units) + 1) / 100


@given(st.floats(-1e6, 1e6))
def test_printed_value_is_within_half_a_unit(value: float) -> None:
    assert abs(float(print_value(value, ".3f")) - value) <= 0.0005 + 1e-6
