"""Reading prompts and people's stories: the native archive, HANNA, and the project's sample."""

import io
import runpy
import tarfile
from collections import Counter
from pathlib import Path

import pytest
import yaml
from story_models import pairs

from retrial.errors import RetrialError
from retrial.record import STORY_PAIRS, ContractError, read, read_batches, write_batches
from retrial.stories.clean import clean_prompt, clean_story
from retrial.stories.pairs import (
    Draw,
    Pair,
    batches,
    draw_lines,
    draw_prompts,
    read_pairs,
    same_words,
)
from retrial.stories.readers import get_reader, writing_prompts

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
FILES = {
    "train.wp_source": b"p1\np2\np3\n",
    "train.wp_target": "s1\ns\u2028 2 \ns3".encode(),  # other line separators are text
    "valid.wp_source": b"[ WP ] v\n",
    "valid.wp_target": b"story v \n",
    "test.wp_source": b"t1\n t2\n",
    "test.wp_target": b"x1\n\n",
}


def archive(folder: Path, files: dict[str, bytes], kind: str = "w:gz") -> Path:
    path = folder / "wp.tar.gz"
    with tarfile.open(path, kind) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(f"writingPrompts/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def read_archive(path: Path, draw: Draw | None = None) -> list[Pair]:
    return list(get_reader("writing-prompts")([path], source="wp", draw=draw or Draw()))


@pytest.mark.parametrize("kind", ["w:gz", "w", "w:xz"])
@pytest.mark.parametrize("order", [1, -1])
def test_pairs_are_read_in_any_order_of_members(tmp_path: Path, kind: str, order: int) -> None:
    found = read_archive(archive(tmp_path, dict([*FILES.items()][::order]), kind))
    texts = {(p.split, p.source_line): (p.prompt, p.story) for p in found}
    assert texts == {
        ("train", 1): ("p1", "s1"),
        ("train", 2): ("p2", "s\u2028 2 "),
        ("train", 3): ("p3", "s3"),
        ("valid", 1): ("[ WP ] v", "story v "),
        ("test", 1): ("t1", "x1"),
    }  # the second test story is blank
    assert {p.source for p in found if p.split == "test"} == {
        "wp/wp.tar.gz:writingPrompts/test.wp_target"
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train.wp_target": b"s1\ns2\n"},
         r"train\.wp_source has 3 lines and writingPrompts/train\.wp_target has 2: .*by line"),
        ({"test.wp_target": b"x1\n\xff x\n"},
         r"test\.wp_target: line 2 is not UTF-8 at byte 1"),
        ({"valid.wp_source": b"caf\xe9\n"}, r"valid\.wp_source: line 1 is not UTF-8 at byte 4"),
        ({"test.wp_source": None}, r"holds no test\.wp_source"),
        ({"valid.wp_target": b"x" * 50}, r"valid\.wp_target: line 1 is longer than 40 bytes"),
    ],
)  # fmt: skip
def test_faults_are_named(
    tmp_path: Path,
    changes: dict[str, bytes | None],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writing_prompts, "LONGEST_LINE", 40)
    files = {n: d for n, d in {**FILES, **changes}.items() if d is not None}
    with pytest.raises(RetrialError, match=message):
        read_archive(archive(tmp_path, files))


def test_a_member_that_stands_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wp.tar"
    with tarfile.open(path, "w") as tar:
        for folder in ("a", "b"):
            tar.addfile(tarfile.TarInfo(f"{folder}/test.wp_source"))
    with pytest.raises(RetrialError, match=r"holds test\.wp_source twice"):
        read_archive(path)


@pytest.mark.parametrize("keep", [0, 100, -200])
def test_a_damaged_archive_is_named(tmp_path: Path, keep: int) -> None:
    path = archive(tmp_path, {**FILES, "train.wp_target": b"a\n" * 3 + bytes(range(32, 127)) * 99})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(RetrialError, match=r"wp\.tar\.gz: not a readable tar archive"):
        read_archive(path)


def test_nothing_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("unpacked")

    path = archive(tmp_path, FILES)
    for name in ("extract", "extractall", "getmembers"):
        monkeypatch.setattr(tarfile.TarFile, name, fail)
    before = set(tmp_path.iterdir())
    assert len(read_archive(path)) == 5
    assert set(tmp_path.iterdir()) == before


def test_a_draw_is_seeded_and_grows(tmp_path: Path) -> None:
    lines = {n: b"".join(b"%d\n" % i for i in range(30)) for n in FILES}
    path = archive(tmp_path, lines)
    few, more = (read_archive(path, Draw(train=n, valid=2, test=1, seed=5)) for n in (4, 9))
    assert Counter(p.split for p in few) == {"train": 4, "valid": 2, "test": 1}
    assert set(few) <= set(more)
    assert [p.source_line for p in more[-3:]] != [] and few == sorted(
        few, key=lambda p: (list(FILES).index(f"{p.split}.wp_target"), p.source_line)
    )
    other = read_archive(path, Draw(train=4, valid=2, test=1, seed=6))
    assert set(other) != set(few)
    with pytest.raises(RetrialError, match="31 train pairs are wanted and the source has 30"):
        read_archive(path, Draw(train=31))


def test_all_lines_are_taken_without_a_draw() -> None:
    assert list(draw_lines("train", 3, Draw())) == [1, 2, 3]


def test_one_archive_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="wanted one archive, got 2"):
        list(get_reader("writing-prompts")([tmp_path, tmp_path], source="s", draw=Draw()))
    with pytest.raises(RetrialError, match="no reader 'wp'; known: hanna, writing-prompts"):
        get_reader("wp")


def test_test_prompts_differ_and_are_drawn_by_seed() -> None:
    rows = pairs(12, "test")
    twins = [Pair("test", f"prompt {i}!", "other", "s/f", 100 + i) for i in range(12)]
    both = [*rows, *twins]
    chosen = draw_prompts(both, 8, 1)
    keys = [same_words(clean_prompt(p.prompt).text) for p in chosen]
    assert len(set(keys)) == 8
    assert draw_prompts(both[::-1], 8, 1) == chosen
    assert set(chosen) <= set(draw_prompts(both, 11, 1))
    assert draw_prompts(both, 8, 2) != chosen
    with pytest.raises(RetrialError, match="25 test prompts are wanted and 12 different"):
        draw_prompts(both, 25, 1)


def test_batches_make_one_file(tmp_path: Path) -> None:
    rows = [*pairs(5), *pairs(3, "test")]
    path = tmp_path / "deep" / "p.parquet"
    assert write_batches(path, batches(rows, 2), STORY_PAIRS) == 8
    assert read(path, STORY_PAIRS).num_rows == 8
    assert list(read_pairs(path, "test")) == rows[5:]
    sizes = [t.num_rows for t in read_batches(path, STORY_PAIRS, ["split"], rows=3)]
    assert sum(sizes) == 8 and max(sizes) <= 3
    assert write_batches(path, batches([]), STORY_PAIRS) == 0


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    write_batches(path, batches(pairs(2)), STORY_PAIRS)

    def broken():  # type: ignore[no-untyped-def]
        yield from batches(pairs(1))
        raise RetrialError("line 7")

    with pytest.raises(RetrialError, match="line 7"):
        write_batches(path, broken(), STORY_PAIRS)
    assert read(path, STORY_PAIRS).num_rows == 2
    assert [p.name for p in tmp_path.iterdir()] == ["p.parquet"]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ContractError, match="not readable as Parquet"):
        list(read_batches(path, STORY_PAIRS))
    with pytest.raises(ContractError, match="no such file"):
        list(read_batches(tmp_path / "none", STORY_PAIRS))


def test_cleaning_the_sample_gives_what_was_written() -> None:
    written = yaml.safe_load((SAMPLE / "stories.yaml").read_text("utf-8"))
    found = read_archive(SAMPLE / "writingPrompts.tar.gz")
    assert Counter(p.split for p in found) == {"train": 8, "valid": 2, "test": 4}
    for split, texts in written.items():
        cleaned = [
            (clean_prompt(p.prompt).text, clean_story(p.story).text)
            for p in found
            if p.split == split
        ]
        assert cleaned == [(t["prompt"], t["story"]) for t in texts]


def test_the_sample_is_what_its_script_makes() -> None:
    script = runpy.run_path(str(SAMPLE / "make_stories.py"))
    written = yaml.safe_load((SAMPLE / "stories.yaml").read_text("utf-8"))
    files = script["members"](written)
    with tarfile.open(SAMPLE / "writingPrompts.tar.gz") as tar:
        packed = {m.name: tar.extractfile(m).read().decode() for m in tar}  # type: ignore[union-attr]
    assert packed == files


def hanna(path: Path, *rows: str, header: str = ",Prompt,Human,Story,Model") -> Path:
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    return path


def read_hanna(path: Path, **draw: int) -> list[Pair]:
    return list(get_reader("hanna")([path], source="hanna", draw=Draw(**draw)))


def test_hanna_gives_each_human_story_once(tmp_path: Path) -> None:
    rows = [f'{i},p{i // 2},"h{i // 2}, said ""x""\nand on",model {i},M' for i in range(10)]
    found = read_hanna(hanna(tmp_path / "h.csv", *rows), valid=1, test=2)
    assert Counter(p.split for p in found) == {"train": 2, "valid": 1, "test": 2}
    assert [(p.prompt, p.source_line) for p in found] == [(f"p{i}", 2 + 4 * i) for i in range(5)]
    assert found[0].story == 'h0, said "x"\nand on'


@pytest.mark.parametrize(
    ("rows", "draw", "message"),
    [
        (["0,p,h,s,M"], {"valid": 1, "test": 1}, "2 pairs are held out of 1"),
        (["0,p,h,s,M"], {"valid": 1}, "set `valid` and `test`"),
        (["0,p,h"], {"valid": 1, "test": 1}, "line 2: 3 fields, the header 5"),
        (["0,p,h,s,M", '1,p," ",s,M'], {"valid": 1, "test": 1}, "line 3: blank prompt or human"),
        (['0,"p,h,s,M'], {"valid": 1, "test": 1}, "line 2 is not CSV"),
    ],
)
def test_faults_of_hanna_are_named(
    tmp_path: Path, rows: list[str], draw: dict[str, int], message: str
) -> None:
    with pytest.raises(RetrialError, match=message):
        read_hanna(hanna(tmp_path / "h.csv", *rows), **draw)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="line 1: no column Human; it has Prompt, Story"):
        read_hanna(hanna(tmp_path / "h.csv", "p,s", header="Prompt,Story"), valid=1, test=1)


@pytest.mark.realdata
def test_the_real_hanna_file(mirror: Path) -> None:
    found = read_hanna(mirror / "hanna" / "hanna_llm_stories.csv", valid=12, test=16)
    assert Counter(p.split for p in found) == {"train": 68, "valid": 12, "test": 16}
    assert len({p.prompt for p in found}) == 96
    assert found[0].story.startswith("3,000 years have I been fighting.")
