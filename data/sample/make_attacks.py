"""Makes the logs in attacks/ from attacks.yaml, in the form in which TextAttack writes them.

    python data/sample/make_attacks.py

No classifier was attacked: the columns of scores, labels and queries hold zeros.
"""

import csv
import io
import re
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
ATTACKS = ("textfooler", "pwws", "bae")
COLUMNS = ("ground_truth_output", "num_queries", "original_output", "original_score",
           "original_text", "perturbed_output", "perturbed_score", "perturbed_text",
           "result_type")  # fmt: skip
MARK = re.compile(r"\[\[(.*?)\]\]")


def swapped(title: str, words: list[str]) -> str:
    """The title with other words in its marks."""
    left = iter(words)
    return MARK.sub(lambda _: f"[[{next(left)}]]", title)


def log(content: dict[str, Any], attack: str) -> str:
    """The CSV log of one attack."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(COLUMNS)
    for place, entry in enumerate(content["titles"]):
        before, after = entry["title"], swapped(entry["title"], entry[attack])
        result = "Successful"
        if place in content["failed"][attack]:
            result = "Failed"
        elif place in content["skipped"][attack]:
            result, before = "Skipped", MARK.sub(r"\1", before)
            after = before
        writer.writerow([0.0, 0.0, 0.0, 0.0, before, 0.0, 0.0, after, result])
    return text.getvalue()


if __name__ == "__main__":
    titles = yaml.safe_load((HERE / "attacks.yaml").read_text(encoding="utf-8"))
    for name in ATTACKS:
        path = HERE / "attacks" / f"sample_{name}.csv"
        path.write_text(log(titles, name), encoding="utf-8")
