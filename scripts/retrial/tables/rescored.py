"""A judge's scores taken again from its answers, by another K of Eq. 2 (jia2024 section 3)."""

from dataclasses import replace

import pyarrow as pa

from retrial.errors import RetrialError
from retrial.scoring.logits import expectation
from retrial.tables.select import Selected


def rescored(selected: Selected, answers: pa.Table, top_k: int) -> Selected:
    """The same ratings with the expectation over the `top_k` likeliest ratings as score.

    A rating without a score keeps none. Raises RetrialError when an answer is not there or holds
    no log-probabilities.
    """
    columns = (answers[name].to_pylist() for name in ("request_id", "rating_logprobs"))
    known = dict(zip(*columns, strict=True))
    scores: list[float | None] = []
    for request, score in zip(
        selected.rows["request_id"].to_pylist(), selected.rows["score"].to_pylist(), strict=True
    ):
        if score is None:
            scores.append(None)
            continue
        if not known.get(request):
            raise RetrialError(
                f"{selected.selection.file}: no log-probabilities for the answer {request}; "
                "K of Eq. 2 can be changed for answers by the logits method only"
            )
        scores.append(expectation(dict(known[request]), top_k, 0.0).score)
    place = selected.rows.schema.get_field_index("score")
    rows = selected.rows.set_column(place, "score", pa.array(scores, pa.float64()))
    return replace(selected, rows=rows)
