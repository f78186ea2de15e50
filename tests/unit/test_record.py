"""Contracts: what is refused, what survives a round trip, and damaged files."""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from core_rows import SAMPLES, item, rating, turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrial.record import (
    CONTRACTS,
    ITEMS,
    RATINGS,
    ContractError,
    check,
    from_rows,
    read,
    to_parquet,
    write_atomically,
)

REQUIRED = [(c, f.name) for c in CONTRACTS.values() for f in c.fields if not f.nullable]
NUMBERS = [(c, f.name) for c in CONTRACTS.values() for f in c.fields if f.type == pa.float64()]


def named(pairs):
    return [f"{contract.name}.{field}" for contract, field in pairs]


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_contract_takes_its_sample_and_documents_its_fields(name):
    contract = CONTRACTS[name]
    table = from_rows([SAMPLES[name]], contract)
    assert table.schema.equals(contract.schema, check_metadata=True)
    assert all(field.doc for field in contract.fields)
    assert set(contract.key) <= {f.name for f in contract.fields if not f.nullable}


@pytest.mark.parametrize(("contract", "field"), REQUIRED, ids=named(REQUIRED))
def test_a_required_field_is_never_absent_or_null(contract, field):
    row = SAMPLES[contract.name]
    with pytest.raises(ContractError, match=rf"{contract.name}\.{field} must not be null"):
        from_rows([{**row, field: None}], contract)
    with pytest.raises(ContractError, match=rf"{contract.name}\.{field} must not be null"):
        from_rows([{k: v for k, v in row.items() if k != field}], contract)


@pytest.mark.parametrize("name", CONTRACTS)
def test_unknown_and_missing_columns_are_refused_by_name(name):
    contract, row = CONTRACTS[name], SAMPLES[name]
    with pytest.raises(ContractError, match="no column scroe"):
        from_rows([{**row, "scroe": 1}], contract)
    table = from_rows([row], contract)
    with pytest.raises(ContractError, match="no column scroe"):
        check(table.append_column("scroe", pa.array([1])), contract, "here")
    last = contract.fields[-1].name
    with pytest.raises(ContractError, match=rf"here: the {name} contract misses {last}"):
        check(table.drop_columns([last]), contract, "here")


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_key_that_stands_twice_is_named(name):
    contract, row = CONTRACTS[name], SAMPLES[name]
    with pytest.raises(ContractError) as caught:
        from_rows([row, row], contract)
    assert all(f"{key}={row[key]!r}" in str(caught.value) for key in contract.key)
    assert "stands 2 times" in str(caught.value)


@pytest.mark.parametrize(("contract", "field"), NUMBERS, ids=named(NUMBERS))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_undefined_is_null_and_never_a_number(contract, field, value):
    with pytest.raises(ContractError, match=f"{field} holds a number that is not finite"):
        from_rows([{**SAMPLES[contract.name], field: value}], contract)


@pytest.mark.parametrize(
    "change", [{"item_id": 3}, {"replicate": "0"}, {"replicate": 0.5}, {"score": "4"}]
)
def test_wrong_types_are_refused(change):
    with pytest.raises(ContractError, match="ratings contract"):
        from_rows([{**rating("i", 3.0), **change}], RATINGS)


def test_a_column_of_another_type_is_not_converted_silently():
    table = from_rows([rating("i", 3.0)], RATINGS)
    numbers = table.set_column(table.column_names.index("rater"), "rater", pa.array([1]))
    with pytest.raises(ContractError, match=r"f\.parquet: ratings\.rater is int64, wanted string"):
        check(numbers, RATINGS, "f.parquet")


def test_a_column_that_stands_twice_is_refused():
    table = from_rows([rating("i", 3.0)], RATINGS)
    with pytest.raises(ContractError, match="stands twice"):
        check(table.append_column("score", table["score"]), RATINGS, "f.parquet")


def test_whole_numbers_may_be_scores_and_absent_ones_are_null():
    table = from_rows([rating("a", 4), rating("b", None)], RATINGS)
    assert table["score"].to_pylist() == [4.0, None]


def test_a_lone_surrogate_is_refused_with_a_message():
    with pytest.raises(ContractError, match="surrogates not allowed"):
        from_rows([item("i", text="bad \ud83d end")], ITEMS)


TEXTS = [
    "naïve café",
    "😀👩‍👩‍👧",
    "line\u2028paragraph\u2029end",
    "a\r\nb\rc\n",
    "\x00\x1b",
    "",
    "٣",
    "Ω\u0301",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_survives_byte_for_byte(tmp_path, text):
    path = tmp_path / "items.parquet"
    write_atomically(path, to_parquet(from_rows([item("i", turns=turns(text, text))], ITEMS)))
    assert [t["text"] for t in read(path, ITEMS)["turns"].to_pylist()[0]] == [text, text]


@given(st.text(st.characters(exclude_categories=("Cs",))))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives(tmp_path, text):
    path = tmp_path / "items.parquet"
    write_atomically(path, to_parquet(from_rows([item("i", text=text)], ITEMS)))
    assert read(path, ITEMS)["text"].to_pylist() == [text]


def test_the_same_rows_give_the_same_bytes_however_they_are_cut():
    rows = [rating(f"i{n}", n % 5 + 1) for n in range(50)]
    whole = from_rows(rows, RATINGS)
    pieces = pa.concat_tables([whole.slice(0, 7), whole.slice(7)])
    assert to_parquet(whole) == to_parquet(from_rows(rows, RATINGS)) == to_parquet(pieces)


def test_damage_is_an_error_at_every_place(tmp_path):
    path = tmp_path / "ratings.parquet"
    data = to_parquet(from_rows([rating(f"item-{n}", n % 5 + 1) for n in range(40)], RATINGS))
    intact = from_rows([rating(f"item-{n}", n % 5 + 1) for n in range(40)], RATINGS)
    for place in range(0, len(data), 97):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            found = read(path, RATINGS)
        except ContractError as error:
            assert "ratings.parquet" in str(error)
        else:
            assert found.equals(intact), f"byte {place}: damage was read as data"


@pytest.mark.parametrize("kept", [0, 3, 100, -1])
def test_a_cut_off_file_is_an_error(tmp_path, kept):
    path = tmp_path / "f.parquet"
    path.write_bytes(to_parquet(from_rows([rating("i", 3)], RATINGS))[:kept])
    with pytest.raises(ContractError, match=r"f\.parquet: not readable as Parquet"):
        read(path, RATINGS)


def test_a_missing_file_and_another_contract_say_so(tmp_path):
    with pytest.raises(ContractError, match="no such file; run the rule"):
        read(tmp_path / "none.parquet", RATINGS)
    path = tmp_path / "f.parquet"
    path.write_bytes(to_parquet(from_rows([item("i")], ITEMS)))
    with pytest.raises(ContractError, match="holds items/1, wanted ratings/1"):
        read(path, RATINGS)
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(ContractError, match="holds no contract"):
        read(path, RATINGS)


def test_some_columns_can_be_read_and_absent_ones_are_named(tmp_path):
    path = tmp_path / "f.parquet"
    path.write_bytes(to_parquet(from_rows([rating("i", 3)], RATINGS)))
    assert read(path, RATINGS, ["score", "item_id"]).num_columns == 2
    with pytest.raises(ContractError, match="holds no column scroe"):
        read(path, RATINGS, ["scroe"])


def test_folder_names_are_never_read_as_columns(tmp_path):
    path = tmp_path / "seed=3" / "f.parquet"
    write_atomically(path, to_parquet(from_rows([rating("i", 3)], RATINGS)))
    assert read(path, RATINGS).num_rows == 1


def test_empty_tables_keep_their_contract(tmp_path):
    path = tmp_path / "f.parquet"
    path.write_bytes(to_parquet(from_rows([], RATINGS)))
    assert read(path, RATINGS).schema.equals(RATINGS.schema)
