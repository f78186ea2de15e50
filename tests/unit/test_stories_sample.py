"""Drawing of stories: the nucleus, seeds, batches, what is refused, and the stories as items."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from story_models import pairs, tiny_files
from story_rows import STORY_ROWS
from tiny_models import tiny_judge

from retrial.config.stories import Drawing, Learning
from retrial.errors import RetrialError
from retrial.items.base import item_ids, to_tables
from retrial.items.readers import get_reader
from retrial.judging.answer_text import GeneratedAnswer
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import load_judge
from retrial.record import STORIES, from_rows, read, to_parquet
from retrial.stories import sample
from retrial.stories.clean import read_log, restore
from retrial.stories.draw import draw_stories
from retrial.stories.encode import StoryEncoder
from retrial.stories.pairs import Pair
from retrial.stories.refuse import why_not
from retrial.stories.sample import write_stories
from retrial.stories.trim import trim_story

LEARNING = Learning(max_tokens=100, prompt_tokens=16)
DRAWING = Drawing(prompts=5, story_tokens=12, batch=2, tries=30, seed=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return tiny_files(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def stories(files: ModelFiles) -> pa.Table:
    return write_stories("tiny", pairs(9, "test"), files, LEARNING, DRAWING)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral"])
def test_a_story_does_not_depend_on_its_batch(kind: str) -> None:
    loaded = tiny_judge(kind)
    openings, seeds = [[5, 6, 7, 8, 9], [10], [11, 12]], ["1", "2", "3"]
    drawing = Drawing(story_tokens=20)
    together = draw_stories(loaded, openings, seeds, drawing)
    alone = [
        draw_stories(loaded, [o], [s], drawing)[0] for o, s in zip(openings, seeds, strict=True)
    ]
    assert together == alone
    assert draw_stories(loaded, openings, ["1", "2", "4"], drawing)[2].text != together[2].text
    with pytest.raises(RetrialError, match="more than the model's context holds"):
        draw_stories(loaded, [[5] * 120], ["1"], drawing)


@pytest.mark.parametrize(
    ("text", "prompt", "reason"),
    [
        ("", "A fox.", "empty"),
        (" \n ", "A fox.", "empty"),
        ("... !", "A fox.", "empty"),
        ("He ran. \ufffd", "A fox.", "broken character"),
        ("A fox.", "A fox.", "repeated prompt"),
        ("a FOX!\n\nHe ran home.", "A fox.", "repeated prompt"),
        ("A fox. He ran.", "A fox.", "repeated prompt"),
        ("A fox. A fox. A fox", "A fox.", "repeated prompt"),
        ("A fox ran home.", "A fox.", ""),
        ("He saw a fox. A fox!", "A fox.", ""),
        ("He ran.", "", ""),
    ],
)
def test_what_is_refused(text: str, prompt: str, reason: str) -> None:
    assert why_not(text, trim_story(text).text, prompt) == reason


def test_a_short_story_is_refused_where_a_minimum_is_set() -> None:
    assert why_not("He ran.", "He ran.", "", 2) == ""
    assert why_not("He ran.", "He ran.", "", 3) == "too short"


def test_a_prompt_has_a_story_of_each_writer(stories: pa.Table) -> None:
    rows = stories.to_pylist()
    assert Counter(r["writer"] for r in rows) == {"human": 5, "generated": 5}
    by_prompt = Counter((r["prompt_id"], r["writer"]) for r in rows)
    assert set(by_prompt.values()) == {1} and len({p for p, _ in by_prompt}) == 5
    people = {p.source_line: p for p in pairs(9, "test")}
    for row in rows:
        pair = people[row["source_line"]]
        assert restore(row["prompt"], read_log(row["prompt_edits"])) == pair.prompt
        assert restore(row["text_cleaned"], read_log(row["edits"])) == row["text_raw"]
        assert row["text"] == trim_story(row["text_cleaned"]).text != ""
        assert row["words"] == len(row["text"].split())
        if row["writer"] == "human":
            assert row["text_raw"] == pair.story
            assert (row["seed"], row["tries"], row["rejected"]) == (None, 0, [])
        else:
            assert "\ufffd" not in row["text_raw"]
            assert row["tries"] == 1 + sum(n for _, n in row["rejected"])


def test_a_run_repeats_another(files: ModelFiles, stories: pa.Table) -> None:
    again = write_stories("tiny", pairs(9, "test")[::-1], files, LEARNING, DRAWING)
    assert again.equals(stories)
    other = Drawing.model_validate({**DRAWING.model_dump(), "seed": 4})
    changed = write_stories("tiny", pairs(9, "test"), files, LEARNING, other)
    assert set(changed["text_raw"].to_pylist()) != set(stories["text_raw"].to_pylist())


def test_refused_draws_are_counted_and_drawn_again(
    files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, ...]] = []

    def draws(_: object, __: object, seeds: list[str], ___: Drawing) -> list[GeneratedAnswer]:
        seen.append(tuple(seeds))
        first = len(seen) <= 3  # three batches of at most two: every wish's first try
        return [GeneratedAnswer(s, "" if first else "So.", "stop", 2) for s in seeds]

    monkeypatch.setattr(sample, "draw_stories", draws)
    table = write_stories("tiny", pairs(9, "test"), files, LEARNING, DRAWING)
    rows = [r for r in table.to_pylist() if r["writer"] == "generated"]
    assert [(r["tries"], r["rejected"]) for r in rows] == [(2, [("empty", 1)])] * 5
    tried = [seed for batch in seen for seed in batch]
    assert len(set(tried)) == 10
    assert [r["seed"] for r in rows] == tried[5:]


def test_a_prompt_without_a_story_is_named(
    files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_: object, __: object, seeds: list[str], ___: Drawing) -> list[GeneratedAnswer]:
        return [GeneratedAnswer(s, "", "stop", 0) for s in seeds]

    monkeypatch.setattr(sample, "draw_stories", nothing)
    with pytest.raises(RetrialError, match=r"5 prompts got no story in 30 draws; .*\(30 empty\)"):
        write_stories("tiny", pairs(9, "test"), files, LEARNING, DRAWING)


def test_training_prompts_are_never_written_on(files: ModelFiles) -> None:
    with pytest.raises(RetrialError, match="5 test prompts are wanted and 2 different"):
        write_stories("t", [*pairs(9), *pairs(2, "test")], files, LEARNING, DRAWING)


def test_a_story_of_nothing_but_line_ends_is_not_drawn(files: ModelFiles) -> None:
    blank = [Pair("test", f"b{i}", "<newline> .", "s/b", i) for i in range(40)]
    table = write_stories("tiny", [*blank, *pairs(5, "test")], files, LEARNING, DRAWING)
    assert set(table["source"].to_pylist()) == {"s/f"}


def test_stories_become_items(stories: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "tiny.parquet"
    path.write_bytes(to_parquet(stories))
    records = get_reader("generated-stories")([path], source="", strata={"a": "b"}, options={})
    items, ratings = to_tables(records, "own-stories")
    rows = items.to_pylist()
    assert ratings.num_rows == 0 and len(rows) == len(set(item_ids(records))) == 10
    assert {r["kind"] for r in rows} == {"story"}
    for row, story in zip(rows, read(path, STORIES).to_pylist(), strict=True):
        assert (row["text"], row["context"]) == (story["text"], story["prompt"])
        strata = dict(row["strata"])
        assert strata["writer"] == {"human": "human-written", "generated": "gpt2"}[story["writer"]]
        assert (strata["prompt_id"], strata["a"]) == (story["prompt_id"], "b")
        assert strata.get("flags", "").split() == story["flags"]
    with pytest.raises(RetrialError, match="unknown option x; it takes none"):
        get_reader("generated-stories")([path], source="", strata={}, options={"x": 1})


def test_an_empty_story_is_no_item(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    row = {**STORY_ROWS["stories"], "text": "", "flags": ["empty"]}
    path.write_bytes(to_parquet(from_rows([row], STORIES)))
    with pytest.raises(RetrialError, match=r"story s \(x/y, line 1\) is empty after trimming"):
        get_reader("generated-stories")([path], source="", strata={}, options={})


@pytest.mark.model
def test_the_packaged_model_draws_the_same_alone(packaged_judge_files: ModelFiles) -> None:
    loaded = load_judge(packaged_judge_files)
    encoder = StoryEncoder(loaded.tokenizer, LEARNING, loaded.context_tokens)
    openings = [encoder.opening(p) for p in ("A robot asks for a day off.", "Snow.")]
    drawing = Drawing(story_tokens=8)
    together = draw_stories(loaded, openings, ["1", "2"], drawing)
    assert together[1] == draw_stories(loaded, openings[1:], ["2"], drawing)[0]
    assert all(drawn.text.strip() for drawn in together)
