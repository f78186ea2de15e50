"""Ledger cells: how the answers behind a row came to be. Counts, so without intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrial.digest import canonical_json
from retrial.scoring.reasons import reasons_agree
from retrial.tables.declare import CellSpec, Ledger
from retrial.tables.select import Results, Selected, pooled
from retrial.tables.selection import each


def count(spec: CellSpec, ledger: Ledger, results: Results) -> dict[str, Any]:
    """The fields of a ledger cell. An empty selection gives no value, with a reason."""
    parts = [results.select(part) for part in each(ledger.judge)]
    files = (ledger.answers,) if isinstance(ledger.answers, str) else ledger.answers
    answers = pa.concat_tables([results.answers(file) for file in files])
    selected = pooled(parts)
    asked = _behind(selected, answers)
    value = COUNTS[spec.metric](selected, asked) if selected.rows.num_rows else None
    return {
        "kind": "ledger",
        "parameters": canonical_json(dict(spec.parameters)),
        "selections": [part.record() for part in parts],
        "excluded": sorted(selected.excluded.items()),
        "n": selected.rows.num_rows,
        "value": value,
        "reason": None if value is not None else "no answers",
    }


def _behind(selected: Selected, answers: pa.Table) -> pa.Table:
    """The answer behind each rating, one row a rating; other prompts may share its request."""
    requests = answers["request_id"].combine_chunks()
    places = pc.index_in(selected.rows["request_id"], value_set=requests)
    return answers.take(places.drop_null())


def items_scored(selected: Selected, asked: pa.Table) -> float:
    """How many items have a score."""
    return float(len(set(selected.used["item_id"].to_pylist())))


def prompts_cut(selected: Selected, asked: pa.Table) -> float | None:
    """Share of prompts that lost turns or examples to the context length."""
    return float(np.mean(asked["turns_dropped"].to_numpy() > 0)) if asked.num_rows else None


def items_cut(selected: Selected, asked: pa.Table) -> float | None:
    """Share of prompts that lost turns of the judged item itself."""
    return float(np.mean(asked["item_turns_dropped"].to_numpy() > 0)) if asked.num_rows else None


def rating_mass(selected: Selected, asked: pa.Table) -> float | None:
    """Mean probability on the rating tokens."""
    mass = selected.rows["rating_mass"].drop_null().to_numpy()
    return float(mass.mean()) if mass.size else None


def answers_read(selected: Selected, asked: pa.Table) -> float:
    """How many answers have a score."""
    return float(selected.used.num_rows)


def answers_failed(selected: Selected, asked: pa.Table) -> float:
    """How many answers have none."""
    return float(selected.rows.num_rows - selected.used.num_rows)


def answers_cut(selected: Selected, asked: pa.Table) -> float | None:
    """Share of answers that ended at the length limit."""
    reasons = asked["finish_reason"].to_pylist()
    return reasons.count("length") / len(reasons) if reasons else None


def reasons_stated(selected: Selected, asked: pa.Table) -> float | None:
    """Share of read answers whose reasons state a rating of their own."""
    found = _agreements(selected, asked)
    return 1 - found.count("none stated") / len(found) if found else None


def reasons_agreeing(selected: Selected, asked: pa.Table) -> float | None:
    """Share of those in which that is the rating that the answer gives."""
    found = [agreement for agreement in _agreements(selected, asked) if agreement != "none stated"]
    return found.count("agrees") / len(found) if found else None


def _agreements(selected: Selected, asked: pa.Table) -> list[str]:
    texts = dict(zip(asked["request_id"].to_pylist(), asked["text"].to_pylist(), strict=True))
    columns = ("request_id", "score", "span_start", "span_end")
    read = zip(*(selected.used[name].to_pylist() for name in columns), strict=True)
    return [
        reasons_agree(texts[request] or "", score, None if start is None else (start, end))
        for request, score, start, end in read
        if request in texts
    ]


COUNTS: dict[str, Callable[[Selected, pa.Table], float | None]] = {
    "items-scored": items_scored,
    "prompts-cut": prompts_cut,
    "items-cut": items_cut,
    "rating-mass": rating_mass,
    "answers-read": answers_read,
    "answers-failed": answers_failed,
    "answers-cut": answers_cut,
    "reasons-stated": reasons_stated,
    "reasons-agreeing": reasons_agreeing,
}
