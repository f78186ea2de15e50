"""The columns of the jia2024 tables, and the headings that they stand under."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrial.tables.description import ColumnGroup

PARTS = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
CLASSES = (("defect", "Defect"), ("nondefect", "Non-defect"),
           ("weighted", "Weighted avg."), ("macro", "Macro avg."))  # fmt: skip
CLASSIFICATION = tuple(f"{name}_{part}" for name, _ in CLASSES for part, _ in PARTS)
CORRELATIONS = ("spearman", "pearson")
COLUMNS = ("defect_rate", *CLASSIFICATION, *CORRELATIONS)
"""The 15 columns of Tables 2 and 4."""
LEDGER = (("items_scored", "n", "d"), ("prompts_cut", "cut", ".0%"),
          ("items_cut", "item cut", ".0%"), ("rating_mass", "mass", ".3f"))  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of a table of judges: its key, metric and printed format."""

    key: str
    metric: str
    format: str = ".2f"


def is_classified(metric: str) -> bool:
    """Whether a metric compares classes, so that it needs the rules that make them."""
    return metric not in (*CORRELATIONS, "accuracy-likert")


def all_groups() -> tuple[ColumnGroup, ...]:
    """The headings of the 15 columns."""
    classes = (
        ColumnGroup(title, tuple((f"{name}_{part}", short) for part, short in PARTS))
        for name, title in CLASSES
    )
    correlation = ColumnGroup("Correlation", (("spearman", "Spearman"), ("pearson", "Pearson")))
    return (ColumnGroup("", (("defect_rate", "Defect rate"),)), *classes, correlation)


def as_columns(keys: Sequence[str]) -> tuple[Column, ...]:
    """Columns whose keys are their metrics'; the defect rate is printed in percent."""
    return tuple(
        Column(key, key.replace("_", "-"), ".0%" if key == "defect_rate" else ".2f") for key in keys
    )
