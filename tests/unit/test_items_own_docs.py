"""What docs/own-data.md shows is true of the reader."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from own_files import read

from retrial.config import Dataset
from retrial.errors import RetrialError
from retrial.items.base import Dialogue, item_ids
from retrial.items.build import build_items
from retrial.items.own.options import Scale

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def block(start: str) -> str:
    """The one block of the page that begins so."""
    (found,) = [text for text in BLOCKS if text.startswith(start)]
    return str(found)


def scores(dialogues: list[Dialogue]) -> list[list[tuple[str, float]]]:
    return [[(r.rater, r.score) for r in d.ratings] for d in dialogues]


def test_the_two_files_of_the_page_are_the_same_dialogues(tmp_path: Path) -> None:
    lines, cells = tmp_path / "d.jsonl", tmp_path / "d.csv"
    lines.write_text(block('{"id"'))
    cells.write_text(block("id,speaker"))
    (options,) = re.findall(r"^with `options: (\{.*?\})`", PAGE, re.MULTILINE)
    first, second = read(lines), read(cells, **yaml.safe_load(options))
    assert item_ids(first) == item_ids(second)
    assert scores(first) == scores(second) == [[("anna", 2), ("ben", 1)], [("anna", 5), ("ben", 4)]]


def test_the_dataset_of_the_page_is_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    overlay: dict[str, Any] = yaml.safe_load(block("results: "))
    spec = Dataset.model_validate(overlay["datasets"]["own"])
    monkeypatch.chdir(ROOT)
    items, _ = build_items("own", spec, [Path(path) for path in spec.paths])
    assert items["split"].to_pylist().count("test") == 40


def test_the_example_of_the_scale_is_right() -> None:
    assert Scale(0, 10).mapped(3) == pytest.approx(2.2)
    assert f"`{Scale(0, 10).reason(3)}`" in PAGE


def test_the_message_of_the_page_is_what_is_said(tmp_path: Path) -> None:
    good = '{"id": "d%d", "turns": [{"speaker": "U", "text": "x"}], "ratings": {"ben": %d}}'
    lines = [good % (n, 11 if n == 12 else 5) for n in range(1, 13)]
    lines[8] = good % (3, 5)
    lines[3] = lines[3].replace("}], ", '}, {"speaker": "S"}], ')
    path = tmp_path / "dialogues.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(RetrialError) as error:
        read(path, scale_low=0, scale_high=10)
    assert str(error.value).replace(f"{tmp_path}/", "") == block("own-dialogues: ").rstrip("\n")
