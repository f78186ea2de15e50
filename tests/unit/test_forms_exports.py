"""Exports of rating forms, read back in as people's ratings by id."""

import json
from pathlib import Path
from typing import Any

import pytest
from form_cases import (
    ATTRIBUTES,
    DATASET,
    PROMPTS,
    SPEC,
    TEMPLATES,
    export_of,
    form_of,
    read_stories,
    stories,
    write_export,
    write_stories,
)

from retrial.commands.ingest import ingest_lines
from retrial.errors import RetrialError
from retrial.items.build import build_items
from retrial.record import ITEMS, RATINGS, Run


def form_in(folder: Path, **changes: Any):
    return form_of(read_stories(folder)[0], **changes)


def refused(folder: Path, match: str, *exports: Any) -> None:
    """Each export is written to a file; reading them all is refused."""
    paths = [write_export(folder, export, f"e{n}") for n, export in enumerate(exports)]
    with pytest.raises(RetrialError, match=match):
        read_stories(folder, *paths, *TEMPLATES)


def test_ratings_come_back_by_id_and_the_released_ones_stay(tmp_path: Path) -> None:
    form = form_in(tmp_path)
    path = write_export(tmp_path, export_of(form, "Anna B."))
    items, human = read_stories(tmp_path, path, *TEMPLATES)
    before = read_stories(tmp_path)
    assert items.equals(before[0])
    assert human.slice(0, before[1].num_rows).equals(before[1])
    rows = human.slice(before[1].num_rows).to_pylist()
    assert [(r["item_id"], r["attribute"], r["score"]) for r in rows] == [
        (item, attribute, float(place))
        for item in form.about["items"]
        for place, attribute in enumerate(ATTRIBUTES, start=1)
    ]
    shared = {"judge": "human", "rater": "Anna B.", "condition": "form", "reading": "human",
              "status": "ok", "scale": "1-5", "source": "own/one.ratings.json"}  # fmt: skip
    assert all(row | shared == row for row in rows)
    assert [row["source_line"] for row in rows] == list(range(1, 25))


def test_what_was_not_rated_stays_missing(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    export["ratings"] = export["ratings"][5:7]
    _, human = read_stories(tmp_path, write_export(tmp_path, export), *TEMPLATES)
    rows = [row for row in human.to_pylist() if row["rater"] == "anna"]
    assert [(r["attribute"], r["score"]) for r in rows] == [
        ("cohesiveness", 2.0),
        ("likability", 3.0),
    ]


def test_two_people_and_two_forms_of_one_person(tmp_path: Path) -> None:
    items, _ = read_stories(tmp_path)
    both = [export_of(form_of(items), name) for name in ("anna", "ben")]
    second = export_of(form_of(items, number=2), "anna")
    both[0]["ratings"], second["ratings"] = both[0]["ratings"][:4], second["ratings"][4:]
    paths = [write_export(tmp_path, e, f"e{n}") for n, e in enumerate([*both, second])]
    _, human = read_stories(tmp_path, *paths, *TEMPLATES)
    raters = [row["rater"] for row in human.to_pylist() if row["condition"] == "form"]
    assert (raters.count("anna"), raters.count("ben")) == (24, 24)


def test_the_same_rater_twice_is_refused(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    refused(
        tmp_path, r"e1.ratings.json: ratings\[0\]: 'anna' has rated .* in own/e0", export, export
    )
    export["ratings"].append(export["ratings"][0])
    refused(tmp_path, r"ratings\[24\]: 'anna' has rated grammaticality", export)


def test_a_name_that_the_source_has_is_refused(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path), "teacher-1")
    refused(tmp_path, "'teacher-1' has rated .* in llm-evaluation/human_eval_result.json", export)


@pytest.mark.parametrize("rating", [0, 6, 4.5, -1])
def test_a_rating_off_the_scale_is_refused(tmp_path: Path, rating: float) -> None:
    export = export_of(form_in(tmp_path))
    export["ratings"][2]["rating"] = rating
    refused(tmp_path, rf"ratings\[2\]: {rating:g} is off the scale 1-5", export)


@pytest.mark.parametrize("rating", ["4", None, True, float("nan"), [4]])
def test_a_rating_that_is_no_number_is_refused(tmp_path: Path, rating: Any) -> None:
    export = export_of(form_in(tmp_path))
    export["ratings"][2]["rating"] = rating
    refused(tmp_path, r"ratings\[2\]", export)


def test_another_dataset_is_refused(tmp_path: Path) -> None:
    path = write_stories(tmp_path)
    items, _ = build_items("other", SPEC, [path])
    export = export_of(form_of(items))
    refused(tmp_path, "about the dataset 'other', not about 'chiang2023-stories'", export)


def test_a_changed_text_is_refused(tmp_path: Path) -> None:
    export = write_export(tmp_path, export_of(form_in(tmp_path)))
    changed = stories()
    changed["1"]["story"] += " More."
    path = tmp_path / "human_eval_result.json"
    path.write_text(json.dumps(changed), "utf-8")
    with pytest.raises(RetrialError, match="1 of 6 items are not in the dataset"):
        build_items(DATASET, SPEC, [path, export, *TEMPLATES])


def test_changed_words_are_refused(tmp_path: Path) -> None:
    export = write_export(tmp_path, export_of(form_in(tmp_path)))
    other = tmp_path / "story-likability.yaml"
    text = (PROMPTS / other.name).read_text("utf-8").replace("enjoy", "like")
    other.write_text(text, "utf-8")
    kept = [path for path in TEMPLATES if path.name != other.name]
    with pytest.raises(RetrialError, match="'story-likability' has other words now"):
        read_stories(tmp_path, export, *kept, other)
    with pytest.raises(RetrialError, match="'story-likability', which no form"):
        read_stories(tmp_path, export, *kept)


def test_a_form_that_was_put_together_is_refused(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    export["form"]["items"] = export["form"]["items"][:-1]
    refused(tmp_path, "form_sha256 is not the digest", export)


def test_a_rating_of_what_the_form_did_not_ask_is_refused(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    export["ratings"][1]["attribute"] = "fluency"
    refused(tmp_path, r"ratings\[1\]: the form does not ask about fluency", export)
    export["ratings"][1] |= {"attribute": "cohesiveness", "item_id": "elsewhere"}
    refused(tmp_path, r"ratings\[1\]: item elsewhere is not in the form", export)


def test_what_is_no_whole_export_is_refused(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    text = json.dumps(export)
    for cut in (0, 1, len(text) // 2, len(text) - 1):
        refused(tmp_path, "e0.ratings.json: is not whole JSON", text[:cut])
    refused(tmp_path, "is not an export of a rating form", {"ratings": []})
    refused(tmp_path, "is not an export of a rating form", [1])
    refused(tmp_path, "has the format retrial-ratings/2", {**export, "format": "retrial-ratings/2"})
    refused(tmp_path, "rater: ", {**export, "rater": "  "})
    refused(tmp_path, "ratings: ", {**export, "ratings": []})
    refused(
        tmp_path, "comments: Field required", {k: v for k, v in export.items() if k != "comments"}
    )
    refused(tmp_path, "more: Extra inputs", {**export, "more": 1})


def test_a_dataset_without_persons_is_refused(tmp_path: Path) -> None:
    export = write_export(tmp_path, export_of(form_in(tmp_path)))
    spec = SPEC.model_copy(update={"raters": "positions"})
    with pytest.raises(RetrialError, match=r"raters is positions, but .* of a person; say persons"):
        build_items(DATASET, spec, [tmp_path / "human_eval_result.json", export, *TEMPLATES])


def test_the_command_checks_and_says_what_to_configure(tmp_path: Path) -> None:
    export = export_of(form_in(tmp_path))
    export["ratings"].pop()
    path, root = write_export(tmp_path, export), tmp_path / "results"
    items, human = read_stories(tmp_path, path, *TEMPLATES)
    run = Run(rule="build_items", root=root)
    run.write_table(root / "items" / f"{DATASET}.parquet", items, ITEMS)
    run.write_table(root / "ratings" / "human" / f"{DATASET}.parquet", human, RATINGS)
    first, *rest = ingest_lines([path], DATASET, root, PROMPTS)
    assert first == (f"{path}: 23 ratings by anna, 1 missing "
                     "(form chiang2023_figures2to5 1, 6 items)")  # fmt: skip
    assert f"exports: [{path}]" in rest[-1]
    other = tmp_path / "export.json"
    other.write_bytes(path.read_bytes())
    with pytest.raises(RetrialError, match=r"ends in \.ratings.json"):
        list(ingest_lines([other], DATASET, root, PROMPTS))
    with pytest.raises(RetrialError, match="no such file"):
        list(ingest_lines([tmp_path / "none.ratings.json"], DATASET, root, PROMPTS))
