"""The plan: which files and parameters each rule gets."""

import copy
from pathlib import Path

import pytest
import yaml

from retrial.config import Selector, load_config
from retrial.examples.base import SelectorSpec
from retrial.plan import BACKENDS, METHODS, PARSERS, READERS, SCRIPTS, Plan, leaves, plugin_module

ROOT = Path(__file__).parents[2]
SHIPPED = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
TABLE = "jia2024_table2"


def plan(*path, to=None) -> Plan:
    """The plan of the shipped configuration, with one place set to another value."""
    config = copy.deepcopy(SHIPPED)
    place = config
    for step in path[:-1]:
        place = place.setdefault(step, {})
    if path:
        place[path[-1]] = to
    return Plan(load_config(config))


SHIPPED_PLAN = plan()


def jobs(plan: Plan) -> dict[str, dict]:
    """The parameters of one job of every rule on the way to Table 2."""
    templates = dict.fromkeys((c.template for c in plan.config.conditions.values()), "digest")
    return {
        "items": plan.items_job("uss-ccpe"),
        "model": plan.model_job("falcon-7b-instruct"),
        "examples": plan.examples_job("uss-ccpe", "bm25-4"),
        "prompts": plan.prompts_job("uss-ccpe", "in-context", templates),
        "judging": plan.judging_job("falcon-7b-instruct", "in-context"),
        "rating": plan.rating_job("in-context", {"dialogue-overall": {"scale": "1-5"}}),
        "table": plan.table_job(TABLE),
    }


def reruns(*path, to) -> set[str]:
    """The rules whose parameters a changed configuration changes."""
    before, after = jobs(SHIPPED_PLAN), jobs(plan(*path, to=to))
    return {rule for rule in before if before[rule] != after[rule]}


CHANGES = [
    (("judges", "falcon-7b-instruct", "note"), "x", {"table"}),
    (("judges", "falcon-7b-instruct", "label"), "x", {"table"}),
    (("judges", "falcon-7b-instruct", "resources"), {"gpus": 2}, set()),
    (("judges", "falcon-7b-instruct", "dtype"), "float16", {"judging"}),
    (("judges", "falcon-7b-instruct", "context_tokens"), 1024, {"judging"}),
    (("judges", "falcon-7b-instruct", "context_tokens"), 2048, set()),
    (("judges", "llama-7b", "dtype"), "float16", set()),
    (("selectors", "bm25-4", "count"), 3, {"examples"}),
    (("selectors", "random-4", "replicates"), 5, {"table"}),
    (("scoring", "top_k"), 3, {"rating"}),
    (("statistics", "resamples"), 100, {"table"}),
    (("datasets", "uss-ccpe", "split"), {"test": 0.2}, {"items", "table"}),
    (("datasets", "uss-ccpe", "judged"), {"items": 5}, {"examples", "prompts", "table"}),
    (("datasets", "chitchat", "judged"), {"items": 5}, set()),
    (("conditions", "bm25-4", "label"), "x", {"table"}),
    (("make",), [], set()),
]


@pytest.mark.parametrize(("path", "to", "rules"), CHANGES, ids=[".".join(c[0]) for c in CHANGES])
def test_a_changed_setting_reruns_what_depends_on_it(path, to, rules):
    assert reruns(*path, to=to) == rules


def test_another_wording_makes_the_prompts_again():
    template = SHIPPED["conditions"]["zero-shot"]["template"]
    first, second = (
        SHIPPED_PLAN.prompts_job("uss-ccpe", "in-context", {template: digest}) for digest in "ab"
    )
    assert first != second


def test_every_path_lies_below_the_results_folder():
    moved = plan("results", to="elsewhere/run")
    paths = [
        *moved.table_targets([TABLE]), *moved.table_ratings(TABLE), *moved.table_answers(TABLE),
        *moved.example_files("uss-ccpe", "in-context"), moved.items("uss-ccpe"),
        moved.human("uss-ccpe"), moved.model("falcon-7b-instruct"), moved.store("llama-7b"),
    ]  # fmt: skip
    assert all(path.startswith("elsewhere/run/") for path in paths)
    assert len(set(paths)) == len(paths)


def test_a_store_may_lie_elsewhere():
    assert plan("store", to="/shared/answers").store("llama-7b") == "/shared/answers/llama-7b"


def test_a_table_needs_every_rating_that_its_lists_name():
    spec = SHIPPED["tables"][TABLE]
    assert SHIPPED_PLAN.table_ratings(TABLE) == [
        f"results/ratings/{judge}/{dataset}/in-context.parquet"
        for judge in spec["judges"]
        for dataset in spec["datasets"]
    ]


def test_examples_of_one_selector_are_chosen_once():
    files = SHIPPED_PLAN.example_files("uss-ccpe", "in-context")
    assert len(files) == len(set(files)) == 6


def test_random_draws_are_shared_and_found_examples_are_not():
    shared = jobs(SHIPPED_PLAN)["prompts"]["shared"]
    assert sorted(shared) == ["random-1", "random-4"]


def test_parameters_are_plain_data_in_a_fixed_order():
    """Snakemake compares them by their text."""
    assert repr(jobs(SHIPPED_PLAN)) == repr(jobs(plan()))
    assert "set(" not in repr(jobs(SHIPPED_PLAN)) and "object at" not in repr(jobs(SHIPPED_PLAN))


def test_selectors_have_the_same_defaults_wherever_they_are_read():
    """Parameters leave defaults out, so both sides must agree on them."""
    chosen = SelectorSpec("s", "bm25", 1)
    for name, field in Selector.model_fields.items():
        if not field.is_required() and hasattr(chosen, name):
            assert getattr(chosen, name) == field.default, name


def test_every_configured_plugin_is_a_module():
    config = SHIPPED_PLAN.config
    names = [plugin_module(READERS, d.reader) for d in config.datasets.values()]
    names += [plugin_module(METHODS, s.method) for s in config.selectors.values()]
    names += [plugin_module(PARSERS, p) for p in SHIPPED_PLAN.parsers()]
    names += [plugin_module(BACKENDS, j.backend) for j in config.judges.values()]
    names += [SHIPPED_PLAN.table_module(t) for t in config.tables]
    missing = [n for n in names if not (SCRIPTS / f"{n.replace('.', '/')}.py").is_file()]
    assert missing == []


def test_leaves_hold_what_differs_from_the_defaults():
    selector = SHIPPED_PLAN.config.selectors["bm25-1"]
    assert leaves(selector) == {"method": "bm25", "count": 1}
    assert leaves(selector, "count") == {"method": "bm25"}


def test_a_recording_has_no_model_and_is_never_asked():
    with pytest.raises(Exception, match="text-davinci-003"):
        SHIPPED_PLAN.judging_job("text-davinci-003", "in-context")
    with pytest.raises(Exception, match="text-davinci-003"):
        SHIPPED_PLAN.model_job("text-davinci-003")
