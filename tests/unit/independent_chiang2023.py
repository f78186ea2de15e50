"""Another route to chiang2023's statistics: json, re and numpy alone, none of the project's code.

Tests compare the project's own cells with what these functions compute from the released files.
"""

import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
HUMAN_KEYS = ("grammar", "cohesive", "enjoy", "relevant")
LISTS = {"human-written": "targets", "gpt2": "predictions"}
Scores = NDArray[np.float64]


def independent_statistics(path: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Statistics of a released file by (writer, attribute).

    Each holds `mean` and `sd` (all ratings, ddof 0), `alpha` (Krippendorff, interval), `exact`
    (percent of stories rated twice or more whose ratings are all equal) and `missing` (answers
    without a number).
    """
    return {cell: _statistics(scores) for cell, scores in independent_scores(path).items()}


def independent_scores(path: Path) -> dict[tuple[str, str], Scores]:
    """Ratings by (writer, attribute), shape (stories, 3) in file order; NaN without a number."""
    data = json.loads(path.read_text("utf-8"))
    found = {}
    for writer, name in LISTS.items():
        for place, (attribute, key) in enumerate(zip(ATTRIBUTES, HUMAN_KEYS, strict=True)):
            if name in data:
                rows = [[_number(text) for text in texts] for texts in data[name][place]]
            else:
                flag = 1 if writer == "human-written" else 0
                rows = [e[key] for e in data.values() if e["human_written"] == flag]
            found[writer, attribute] = np.array(rows, dtype=float)
    return found


def _number(text: str) -> float:
    """Appendix D.2.1: the first number once the scale's own phrases are gone."""
    for phrase in ("1-5", "out of 5", "/5"):
        text = text.replace(phrase, "")
    found = re.search(r"\d+(\.\d+)?", text)
    return float(found[0]) if found else np.nan


def _statistics(scores: Scores) -> dict[str, float]:
    present = scores[~np.isnan(scores)]
    return {
        "mean": float(present.mean()),
        "sd": float(np.sqrt(((present - present.mean()) ** 2).mean())),
        "alpha": _alpha(scores),
        "exact": _exact(scores),
        "missing": float(np.isnan(scores).sum()),
    }


def _alpha(scores: Scores) -> float:
    """1 - D_o / D_e over ordered pairs within a story, and over all ordered pairs of ratings."""
    units = [row[~np.isnan(row)] for row in scores]
    units = [unit for unit in units if len(unit) > 1]
    values = np.concatenate(units)
    n = len(values)
    within = sum(((u[:, None] - u) ** 2).sum() / (len(u) - 1) for u in units)
    across = ((values[:, None] - values) ** 2).sum()
    return float(1 - (within / n) / (across / (n * (n - 1))))


def _exact(scores: Scores) -> float:
    units = [row[~np.isnan(row)] for row in scores]
    return 100 * float(np.mean([len(set(unit)) == 1 for unit in units if len(unit) > 1]))
