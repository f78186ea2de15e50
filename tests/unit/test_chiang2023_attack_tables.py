"""The tables of attacked titles: numbers worked out another way, empty rows, joins by pair."""

from pathlib import Path

import numpy as np
import pytest
from core_rows import human, item, rating, write
from scipy import stats

from retrial.config import load_config
from retrial.errors import RetrialError
from retrial.metrics import REGISTRY
from retrial.plan import Plan
from retrial.published import load_published
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.render.html import render_html
from retrial.tables.render.png import render_png
from retrial.tables.select import Results
from retrial.tables.selection import Selection
from retrial.tables.title_pairs import paired, too_few

ROOT = Path(__file__).parents[2]
PUBLISHED = load_published(ROOT / "data" / "published" / "chiang2023.csv")
ATTACKS = ("textfooler", "pwws", "bae")
BENIGN, PER_ATTACK, SAMPLES = 20, 13, 3
MEANS = {"benign": 4.3, "textfooler": 2.2, "pwws": 4.3, "bae": 3.0, "identical": 4.8}
CONFIG = {
    "datasets": {"titles": {"reader": "textattack", "label": "titles", "paths": ["x"]},
                 "more": {"reader": "textattack", "label": "more", "paths": ["y"]}},
    "judges": {"j": {"backend": "transformers", "label": "Judge", "source": {"package": "p"}}},
    "conditions": {
        a: {"label": a, "template": f"title-{a}", "method": "generation",
            "sampling": {"temperature": 1.0, "top_p": 0.9, "samples": SAMPLES}}
        for a in ("fluency", "meaning")
    },
    "experiments": {"attack": {"attributes": ["fluency", "meaning"],
                               "conditions": ["fluency", "meaning"]}},
    "tables": {f"chiang2023_table{n}": {"judges": ["j"], "datasets": ["titles"],
                                        "experiments": ["attack"],
                                        "conditions": ["fluency", "meaning"]}
               for n in (4, 11, 12)},
    "statistics": {"resamples": 300, "seed": 5},
}  # fmt: skip


def job(number=4, rated_by="none", **changes):
    config = {**CONFIG, "datasets": {n: {**d, "raters": rated_by} for n, d in
                                     CONFIG["datasets"].items()}}  # fmt: skip
    wanted = Plan(load_config(config)).table_job(f"chiang2023_table{number}")
    wanted["spec"] = {**wanted["spec"], **changes}
    return wanted


class World:
    """Items and ratings with known numbers: benign 0-19, of which each attack drew thirteen."""

    def __init__(self) -> None:
        generator = np.random.default_rng(3)
        self.drew = {a: [(i + 3 * n) % BENIGN for i in range(PER_ATTACK)]
                     for n, a in enumerate(ATTACKS)}  # fmt: skip
        self.scores = {}
        for kind, reference in (("title", "benign"), ("pair", "identical")):
            for attack in (reference, *ATTACKS):
                for place in self.drew.get(attack, range(BENIGN)):
                    drawn = np.rint(generator.normal(MEANS[attack], 0.8, SAMPLES))
                    self.scores[kind, attack, place] = np.clip(drawn, 1, 5).tolist()
        self.scores["title", "benign", 4][1] = None
        self.scores["title", "bae", self.drew["bae"][0]] = [None] * SAMPLES

    def items(self):
        for kind, attack, place in self.scores:
            strata = [("attack", attack)]
            if attack in ("benign", "identical"):
                strata += [(f"with-{a}", "yes") for a in ATTACKS if place in self.drew[a]]
            yield item(f"{kind}-{attack}-{place}", "all", kind=kind, turns=None, dataset="titles",
                       pair_id=f"p{place}", text="t", strata=strata)  # fmt: skip

    def ratings(self):
        for (kind, attack, place), scores in self.scores.items():
            about = "fluency" if kind == "title" else "meaning"
            for n, score in enumerate(scores):
                yield rating(
                    f"{kind}-{attack}-{place}", score, attribute=about, condition=about,
                    dataset="titles", sample=n, reading="robust",
                    status="ok" if score is not None else "no_number",
                )  # fmt: skip

    def values(self, kind, attack, places=None):
        wanted = self.drew.get(attack, range(BENIGN)) if places is None else places
        return [self.scores[kind, attack, p] for p in wanted]


WORLD = World()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write(folder, "items/titles.parquet", "items", *WORLD.items())
    write(folder, "ratings/j/titles/attack.parquet", "ratings", *WORLD.ratings())
    people = [human(f"title-{a}-{p}", r, s, attribute="fluency", dataset="titles")
              for a in MEANS if a != "identical" for p in WORLD.drew.get(a, range(BENIGN))
              for r, s in (("ann", 4), ("bo", 2))]  # fmt: skip
    write(folder, "ratings/human/titles.parquet", "ratings", *people)
    return folder


def built(root, wanted):
    s = wanted["statistics"]
    declaration = declaration_of(wanted)
    bootstrap = Bootstrap(s["resamples"], s["level"], s["seed"])
    table = build_cells(declaration, Results(root), Printed.of(PUBLISHED), bootstrap)
    assert declaration.description.title in render_html(table, declaration.description)
    assert render_png(table, declaration.description)[:4] == b"\x89PNG"
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


@pytest.fixture(scope="module")
def cells(root):
    return built(root, job())


def flat(values):
    return [s for scores in values for s in scores if s is not None]


def means(values):
    return np.array([np.mean(v) if (v := [s for s in scores if s is not None]) else np.nan
                     for scores in values])  # fmt: skip


KINDS = (("fluency", "title", "benign"), ("meaning", "pair", "identical"))


@pytest.mark.parametrize(("attribute", "kind", "reference"), KINDS)
@pytest.mark.parametrize("row", ["benign", *ATTACKS])
def test_mean_and_sd_are_over_all_answers(cells, attribute, kind, reference, row):
    scores = flat(WORLD.values(kind, reference if row == "benign" else row))
    mean, sd = cells[row, f"{attribute}_j"], cells[row, f"{attribute}_j_sd"]
    assert mean["value"] == pytest.approx(sum(scores) / len(scores))
    assert sd["value"] == pytest.approx(np.std(scores))
    assert mean["ci_low"] < mean["value"] < mean["ci_high"]


def test_the_benign_row_of_meaning_is_of_identical_pairs(cells):
    chosen = cells["benign", "meaning_j"]["selections"]
    assert '"attack":"identical"' in chosen[0]["filter"] and chosen[0]["n"] == BENIGN * SAMPLES


@pytest.mark.parametrize(("attribute", "kind", "reference"), KINDS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_drop_is_over_the_pairs_of_which_both_were_rated(
    cells, attribute, kind, reference, attack
):
    places = [p for p in sorted(WORLD.drew[attack])
              if flat([WORLD.scores[kind, attack, p]])]  # fmt: skip
    benign, attacked = (WORLD.values(kind, a, places) for a in (reference, attack))
    drop = cells[attack, f"{attribute}_j_drop"]
    assert drop["value"] == pytest.approx(np.mean(flat(benign)) - np.mean(flat(attacked)))
    assert drop["n"] == len(places) == PER_ATTACK - (attack == "bae" and kind == "title")
    if len(flat(benign)) == len(flat(attacked)):  # the pairs' own differences then average to it
        assert drop["value"] == pytest.approx(np.mean(means(benign) - means(attacked)))
        low, high = resampled(means(benign) - means(attacked))
        assert (drop["ci_low"], drop["ci_high"]) == pytest.approx((low, high), abs=0.12)


def resampled(differences):
    draws = np.random.default_rng(0).choice(differences, (4000, len(differences)))
    return np.quantile(draws.mean(axis=1), [0.025, 0.975])


@pytest.mark.parametrize(("attribute", "kind", "reference"), KINDS)
def test_welch_is_of_title_means_of_what_the_attack_drew(cells, attribute, kind, reference):
    for attack in ATTACKS:
        drew = WORLD.drew[attack]
        one, two = (means(WORLD.values(kind, a, drew)) for a in (reference, attack))
        test = stats.ttest_ind(one, two, equal_var=False, nan_policy="omit")
        assert cells[attack, f"{attribute}_j_welch_p"]["value"] == pytest.approx(test.pvalue)


def test_holm_takes_every_paired_test_of_the_table(cells):
    places = [(a, f"{t}_j") for t in ("fluency", "meaning") for a in ATTACKS]
    p = {place: cells[place[0], place[1] + "_p"]["value"] for place in places}
    running, adjusted = 0.0, {}
    for rank, place in enumerate(sorted(places, key=lambda one: p[one])):
        running = max(running, min(1.0, (len(places) - rank) * p[place]))
        adjusted[place] = running
    for (attack, name), value in adjusted.items():
        assert cells[attack, f"{name}_p_holm"]["value"] == pytest.approx(value)
        assert len(cells[attack, f"{name}_p_holm"]["inputs"]) == 6


def test_what_is_rated_lower_is_said_so_and_what_is_not_is_left_open(cells):
    assert cells["textfooler", "fluency_j_lower"]["value_text"] == "supported"
    assert cells["textfooler", "meaning_j_lower"]["value_text"] == "supported"
    assert cells["pwws", "fluency_j_lower"]["value_text"] == "not decidable at this n"


def test_answers_without_a_rating_are_counted(cells):
    assert dict(cells["bae", "fluency_j"]["excluded"]) == {"no_number": SAMPLES}
    assert dict(cells["benign", "fluency_j"]["excluded"]) == {"no_number": 1}


def test_rows_without_people_are_empty_and_say_so(cells):
    for row in ("benign", *ATTACKS):
        for name in ("teachers", "chatgpt", "people"):
            for attribute in ("fluency", "meaning"):
                found = cells[row, f"{attribute}_{name}"]
                assert found["value"] is None and found["n"] == 0 and found["reason"]
    assert "nobody has rated" in cells["bae", "fluency_people"]["reason"]


def test_printed_values_stand_beside_and_are_compared_in_direction_only(cells, root):
    printed = {k: c for k, c in cells.items() if c["published"]}
    assert {k: c["published"] for k, c in printed.items()} == {
        ("textfooler", "fluency_chatgpt"): "2.12",
        ("textfooler", "fluency_teachers"): "2.17",
        ("benign", "meaning_chatgpt"): "5.00",
    }
    assert {c["verdict"] for c in printed.values()} == {"not comparable"}
    assert all("direction" in c["verdict_reason"] for c in printed.values())
    eleven = built(root, job(11))
    found = eleven["benign", "meaning_text-davinci-003"]
    assert found["published"] == "4.56" and found["value"] is None and "retired" in found["reason"]
    assert eleven["bae", "fluency_j"]["value"] == cells["bae", "fluency_j"]["value"]


def test_people_who_rated_the_titles_stand_beside_the_judge(root):
    found = built(root, job(rated_by="persons"))
    assert found["benign", "fluency_people"]["value"] == 3.0
    assert found["benign", "fluency_people_sd"]["value"] == 1.0
    assert found["pwws", "fluency_people_drop"]["value"] == 0.0
    assert found["benign", "meaning_people"]["value"] is None
    assert found["pwws", "meaning_people_drop"]["reason"].startswith("0 pairs")
    assert len(found["pwws", "fluency_j_p_holm"]["inputs"]) == 12


def test_table_12_has_a_column_for_each_rater(root):
    found = built(root, job(12, "persons", raters=["ann", "bo"]))
    assert found["benign", "fluency_people_ann"]["value"] == 4.0
    assert found["benign", "fluency_people_bo"]["value"] == 2.0
    for n in range(SAMPLES):
        scores = [s[n] for s in WORLD.values("title", "pwws")]
        answers = found["pwws", f"fluency_j_answer-{n + 1}"]
        assert answers["value"] == pytest.approx(np.mean(scores))
    assert found["pwws", "fluency_teacher-1"]["reason"]
    plain = built(root, job(12))
    assert not any("people" in column for _, column in plain)
    one, two = (t["pwws", "fluency_j_alpha"] for t in (plain, found))
    assert one["value"] == two["value"] and -1 < one["value"] < 1


def test_several_datasets_have_rows_of_their_own():
    declared = declaration_of(job(datasets=["titles"]))
    wanted = job()
    wanted["spec"]["datasets"] = ["titles", "more"]
    wanted["datasets"] = {n: {"label": n} for n in ("titles", "more")}
    both = declaration_of(wanted)
    assert {"titles / bae", "more / bae", "bae"} <= {c.row for c in both.cells}
    assert len({(c.row, c.column) for c in both.cells}) == len(both.cells)
    shown = {key for group in declared.description.groups for key, _ in group.columns}
    assert shown == {c.column for c in declared.cells}
    measured = {c.metric for c in both.cells} - {"", "holm"}
    assert measured <= REGISTRY.keys()


def test_conditions_are_named_in_order():
    with pytest.raises(RetrialError, match=r"chiang2023_table4\.conditions: name two"):
        declaration_of(job(conditions=["fluency"]))


@pytest.mark.parametrize(("pairs", "told"), [(0, "0 pairs"), (1, "1 pairs"), (9, "9"), (10, "")])
def test_a_handful_of_pairs_is_not_compared(pairs, told):
    assert too_few(pairs).startswith(told) and bool(too_few(pairs)) == (pairs < 10)


def test_two_items_of_one_side_and_pair_are_refused(root):
    results = Results(root)
    file, items = "ratings/j/titles/attack.parquet", "items/titles.parquet"
    every = results.select(Selection("judge", file, (("attribute", "fluency"),)))
    with pytest.raises(RetrialError, match="belong to one pair"):
        paired(every, every, results.items(items, {}))
