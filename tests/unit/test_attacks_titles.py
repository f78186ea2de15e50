"""The textattack reader: which pairs are drawn, the items they become, and where logs are found."""

import hashlib
import io
import runpy
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml

from retrial.config import Dataset
from retrial.errors import RetrialError
from retrial.items.attacks.log import AttackedText, read_log
from retrial.items.attacks.titles import draw_pairs, pair_id
from retrial.items.build import build_items
from retrial.items.readers import get_reader

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
ATTACKS = ("textfooler", "pwws", "bae")
LOGS = {a: SAMPLE / "attacks" / f"sample_{a}.csv" for a in ATTACKS}
PLACES = {f"attack-log/original/ag-news/bert/{a}/x_{a}.csv": LOGS[a] for a in ATTACKS}


def read(*paths: Path, strata=None, **options):
    return get_reader("textattack")(paths, source="s", strata=strata or {}, options=options)


def sample(**options):
    return read(*LOGS.values(), **{"pairs": 8, **options})


def packed(path: Path, places=PLACES, kind="tar.xz") -> Path:
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, file in places.items():
                archive.write(file, name)
        return path
    with tarfile.open(path, "w:xz") as archive:
        for name, file in places.items():
            info, data = tarfile.TarInfo(name), file.read_bytes()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def of(items, kind, attack):
    return [i for i in items if i.kind == kind and i.strata["attack"] == attack]


def test_the_sample_is_what_its_program_makes_of_its_texts():
    program = runpy.run_path(str(SAMPLE / "make_attacks.py"))
    content = yaml.safe_load((SAMPLE / "attacks.yaml").read_text(encoding="utf-8"))
    for attack, path in LOGS.items():
        assert program["log"](content, attack) == path.read_text(encoding="utf-8")
        assert len(read_log(path.read_bytes(), path.name)) == 10


def test_every_attack_gets_its_pairs_and_a_benign_title_is_one_item():
    items = sample()
    count = Counter((i.kind, i.strata["attack"]) for i in items)
    benign = of(items, "title", "benign")
    assert {key: n for key, n in count.items() if key[1] in ATTACKS} == {
        (kind, attack): 8 for kind in ("title", "pair") for attack in ATTACKS
    }
    assert len({i.text for i in benign}) == len(benign) == count["pair", "identical"] <= 12
    for attack in ATTACKS:
        mine = {i.pair_id for i in of(items, "title", attack)}
        assert len(mine) == 8
        assert mine == {i.pair_id for i in of(items, "pair", attack)}
        for reference in (benign, of(items, "pair", "identical")):
            assert mine == {i.pair_id for i in reference if i.strata.get(f"with-{attack}")}


def test_titles_and_pairs_hold_the_texts_of_their_row_of_the_log():
    rows = {a: read_log(p.read_bytes(), a) for a, p in LOGS.items()}
    items = sample(strata={"subset": "x"})
    for attack in ATTACKS:
        by_line = {row.line: row for row in rows[attack]}
        for title in of(items, "title", attack):
            assert title.text == by_line[title.source_line].attacked and title.text_b is None
            assert title.source == f"s/sample_{attack}.csv" and title.strata["subset"] == "x"
        for pair in of(items, "pair", attack):
            row = by_line[pair.source_line]
            assert (pair.text, pair.text_b) == (row.benign, row.attacked)
            assert pair.pair_id == pair_id(row.benign)
    assert all(i.text == i.text_b for i in of(items, "pair", "identical"))


def test_remnants_of_html_are_told_and_restored_only_on_request():
    kept, restored = sample(pairs=10), sample(pairs=10, html="restored")
    told = [i for i in kept if i.strata.get("html")]
    assert told and all("#39;" in i.text or "&quot;" in i.text for i in told)
    assert [i.pair_id for i in kept] == [i.pair_id for i in restored]
    assert [i.strata for i in kept] == [i.strata for i in restored]
    changed = [(a.text, b.text) for a, b in zip(kept, restored, strict=True) if a.text != b.text]
    assert {a for a, _ in changed} == {i.text for i in told}
    bank = "Bank lowers its forecast It #39;s the third cut this year."
    assert (bank, "Bank lowers its forecast It's the third cut this year.") in changed


def test_the_items_are_a_dataset_without_human_ratings():
    spec = {"label": "x", "reader": "textattack", "paths": [str(p) for p in LOGS.values()],
            "options": {"pairs": 8}}  # fmt: skip
    items, human = build_items("t", Dataset.model_validate(spec), list(LOGS.values()))
    assert items.num_rows == len(sample()) and human.num_rows == 0
    assert set(items["source"].to_pylist()) == {f"own/sample_{a}.csv" for a in ATTACKS}
    assert set(items["turns"].to_pylist()) == {None}


PAIRS = [AttackedText(n + 2, f"benign {n}", f"attacked {n}") for n in range(40)]


def digest(drawn) -> str:
    return hashlib.sha256("".join(one.pair_id for one in drawn).encode()).hexdigest()[:16]


def test_a_seed_gives_the_same_pairs_on_any_machine():
    drawn = draw_pairs("pwws", PAIRS, "s", 5, seed=2024)
    chosen = {p.line for p in PAIRS if p in [one.pair for one in drawn]}
    keys = {p.line: hashlib.sha256(f'["attack","pwws",2024,"{pair_id(p.benign)}"]'.encode())
            for p in PAIRS}  # fmt: skip
    assert chosen == set(sorted(keys, key=lambda line: keys[line].digest())[:5])
    assert digest(drawn) == "82aa7f3953805787"


def test_the_draw_does_not_hang_on_the_order_of_the_log():
    one = draw_pairs("bae", PAIRS, "s", 10, 1)
    other = draw_pairs("bae", PAIRS[::-1], "s", 10, 1)
    assert [d.pair for d in one] == [d.pair for d in other][::-1]


def test_more_pairs_only_add_and_attacks_and_seeds_draw_apart():
    few, many = (draw_pairs("bae", PAIRS, "s", n, 1) for n in (10, 20))
    assert {d.pair for d in few} < {d.pair for d in many}
    assert few != draw_pairs("bae", PAIRS, "s", 10, 2)
    assert [d.pair for d in few] != [d.pair for d in draw_pairs("pwws", PAIRS, "s", 10, 1)]


def test_too_few_pairs_are_an_error_that_says_how_many_there_are():
    with pytest.raises(RetrialError, match="41 pairs of bae are wanted and s has 40"):
        draw_pairs("bae", PAIRS, "s", 41, 1)


@pytest.mark.parametrize("kind", ["tar.xz", "zip"])
def test_an_archive_gives_the_items_of_its_logs(tmp_path, kind):
    other = {p.replace("original", "strongest"): LOGS["bae"] for p in PLACES}
    roberta = {p.replace("/bert/", "/roberta/"): LOGS["bae"] for p in PLACES}
    resource = {f"__MACOSX/{p}": LOGS["bae"] for p in PLACES}
    path = packed(tmp_path / "attack-log.archive", {**other, **roberta, **resource, **PLACES}, kind)
    found = read(path, pairs=8)
    assert [(i.kind, i.text, i.text_b, i.pair_id, i.source_line, i.strata) for i in found] == [
        (i.kind, i.text, i.text_b, i.pair_id, i.source_line, i.strata) for i in sample()
    ]
    sources = {i.source for i in found}
    assert f"s/{path.name}:attack-log/original/ag-news/bert/pwws/x_pwws.csv" in sources


def test_a_part_of_the_archive_is_chosen_by_options(tmp_path):
    places = {p.replace("original/ag-news/bert", "strongest/sst2/roberta"): f
              for p, f in PLACES.items()}  # fmt: skip
    path = packed(tmp_path / "a", places)
    options = {"strength": "strongest", "corpus": "sst2", "victim": "roberta", "pairs": 8}
    assert [i.text for i in read(path, **options)] == [i.text for i in sample()]
    with pytest.raises(RetrialError) as caught:
        read(path, pairs=8)
    message = str(caught.value)
    assert "no log of textfooler, pwws, bae" in message and "options strength" in message
    assert "attack-log/strongest/sst2/roberta/bae" in message


def test_an_attack_in_a_place_of_its_own_and_its_log_by_hand(tmp_path):
    two = {p: f for p, f in PLACES.items() if "bae" not in p}
    path = packed(tmp_path / "a", two)
    with pytest.raises(RetrialError, match="no log of bae") as caught:
        read(path, pairs=8)
    assert "drive.google.com" in str(caught.value) and "`paths`" in str(caught.value)
    assert len(read(path, LOGS["bae"], pairs=8)) == len(sample())


def test_only_the_attacks_that_are_asked_for_are_read():
    items = read(LOGS["pwws"], attacks="pwws", pairs=3)
    assert Counter(i.strata["attack"] for i in items) == {"benign": 3, "pwws": 6, "identical": 3}


def test_a_log_is_known_by_its_name_or_its_folder(tmp_path):
    (tmp_path / "bae").mkdir()
    for name in ("bae/log.csv", "ag-news-bae.csv", "bae.csv"):
        path = tmp_path / name
        path.write_bytes(LOGS["bae"].read_bytes())
        assert len(read(path, attacks="bae", pairs=2)) == 8
    path = path.rename(tmp_path / "log.csv")
    with pytest.raises(RetrialError, match=r"log\.csv: which attack is this the log of"):
        read(path, attacks="bae", pairs=2)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<!DOCTYPE html><title>Quota exceeded</title>", "is a web page"),
        (b"", "is empty"),
        (b"7z\xbc\xaf'\x1c", "neither an archive"),
    ],
)
def test_what_a_file_share_sends_instead_is_told_with_what_to_place_where(tmp_path, content, why):
    path = tmp_path / "attack-log.archive"
    path.write_bytes(content)
    with pytest.raises(RetrialError, match=why) as caught:
        read(path)
    assert "drive.google.com" in str(caught.value) and "`paths`" in str(caught.value)


def test_two_logs_of_one_attack_are_refused(tmp_path):
    twice = {**PLACES, "attack-log/original/ag-news/bert/bae/y_bae.csv": LOGS["bae"]}
    with pytest.raises(RetrialError, match=r"two logs of bae: .*x_bae\.csv and .*y_bae\.csv"):
        read(packed(tmp_path / "a", twice))
    with pytest.raises(RetrialError, match="two logs of bae"):
        read(packed(tmp_path / "b"), LOGS["bae"])
    with pytest.raises(RetrialError, match="no files to read"):
        read()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"attack": "bae"}, "unknown option 'attack'; it takes attacks"),
        ({"pairs": "8"}, "pairs: '8' is not a whole number"),
        ({"pairs": True}, "pairs: True is not a whole number"),
        ({"pairs": 0}, "pairs is 0"),
        ({"attacks": ""}, "name one attack or several"),
        ({"attacks": "bae bae"}, "each once"),
        ({"attacks": "benign bae"}, "benign is no attack"),
        ({"html": "gone"}, "give kept or restored"),
        ({"corpus": 3}, "corpus: 3 is not a text"),
    ],
)
def test_a_wrong_option_is_named(options, why):
    with pytest.raises(RetrialError, match=why):
        read(*LOGS.values(), **options)


@pytest.mark.realdata
def test_the_real_pwws_log_gives_100_pairs_always_the_same(mirror):
    path = mirror / "textattack" / "bert-base-uncased-ag-news_pwws.csv"
    pairs = read_log(path.read_bytes(), path.name)
    assert digest(draw_pairs("pwws", pairs, "s", 100, 2024)) == "6cd02c9f3d740ade"
    items = read(path, attacks="pwws", seed=2024)
    assert Counter((i.kind, i.strata["attack"]) for i in items) == {
        ("title", "benign"): 100, ("title", "pwws"): 100,
        ("pair", "pwws"): 100, ("pair", "identical"): 100,
    }  # fmt: skip
