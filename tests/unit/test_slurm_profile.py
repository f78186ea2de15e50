"""What a cluster run must never ask for, and what it must always say: read from the files."""

import re
from pathlib import Path

import pytest
import yaml
from snakemake.profiles import ProfileConfigFileParser

PROJECT = Path(__file__).parents[2]
RULES = sorted((PROJECT / "rules").glob("*.smk"))
PROFILES = sorted((PROJECT / "profiles").glob("*/config.yaml"))
KNOWN_RESOURCES = {"gpu", "mem_mb", "runtime"}
"""What rules may ask for: names that the Slurm executor turns into requests."""


def options(profile: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, object]:
    """A profile as Snakemake reads it from the root of a checkout."""
    monkeypatch.chdir(folder)
    with profile.open(encoding="utf-8") as stream:
        return dict(ProfileConfigFileParser().parse(stream))


def slurm_options(
    monkeypatch: pytest.MonkeyPatch, folder: Path, site: str | None = None
) -> dict[str, object]:
    place = folder / "profiles/slurm"
    place.mkdir(parents=True, exist_ok=True)
    if site is not None:
        (place / "site.yaml").write_text(site, encoding="utf-8")
    return options(PROJECT / "profiles/slurm/config.yaml", monkeypatch, folder)


@pytest.mark.parametrize("rules", RULES, ids=lambda p: p.stem)
def test_no_rule_retries_or_groups(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    assert re.findall(r"^\s+(?:retries|group):", text, re.MULTILINE) == []


@pytest.mark.parametrize("rules", RULES, ids=lambda p: p.stem)
def test_rules_ask_for_resources_that_slurm_knows(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    blocks = re.findall(r"^    resources:\n((?:^        .*\n)+)", text, re.MULTILINE)
    asked = {name for block in blocks for name in re.findall(r"^        (\w+)=", block, re.M)}
    assert asked <= KNOWN_RESOURCES


def test_every_rule_is_local_or_says_what_it_needs() -> None:
    for rules in RULES:
        for rule in re.split(r"^(?=rule )", rules.read_text(encoding="utf-8"), flags=re.M)[1:]:
            local = re.search(r"^    localrule: True$", rule, re.MULTILINE)
            needs = re.search(r"^    (?:resources|threads):", rule, re.MULTILINE)
            assert bool(local) != bool(needs), rule.splitlines()[0]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.parent.name)
def test_no_profile_keeps_partial_files_or_uses_job_arrays(
    profile: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = options(profile, monkeypatch, tmp_path).keys()
    assert not asked & {"keep-incomplete", "slurm-array-jobs", "groups", "group-components"}


def test_the_slurm_profile_survives_an_outage_of_the_controller(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = slurm_options(monkeypatch, tmp_path)
    seconds = int(str(asked["slurm-status-attempts"])) / float(
        str(asked["max-status-checks-per-second"])
    )
    assert seconds >= 600
    assert asked["slurm-status-command"] == "squeue"
    assert int(str(asked["retries"])) == 2
    assert int(str(asked["latency-wait"])) >= 60


def test_a_site_file_adds_account_partition_and_feature(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = slurm_options(monkeypatch, tmp_path)["default-resources"]
    site = "account: ours\npartition: long\nconstraint: a100\nstatus_command: sacct\n"
    asked = slurm_options(monkeypatch, tmp_path, site)
    added = ["slurm_account=ours", "slurm_partition=long", "constraint=a100"]
    assert asked["default-resources"] == [*before, *added]  # type: ignore[misc]
    assert asked["slurm-status-command"] == "sacct"
    assert "slurm-partition-config" not in asked


def test_a_site_file_with_limits_lets_each_job_find_its_partition(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = "partitions:\n  gpu: {max_runtime: 100, max_gpu: 2}\n"
    asked = slurm_options(monkeypatch, tmp_path, site)
    assert asked["slurm-partition-config"] == "profiles/slurm/site.yaml"


def test_the_example_of_a_site_file_is_empty_until_edited_and_valid_after() -> None:
    text = (PROJECT / "profiles/slurm/site.example.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) is None
    settings = re.sub(r"^# ?(?=[a-z_]+:|  )", "", text, flags=re.MULTILINE)
    edited = yaml.safe_load(settings)
    assert {"account", "partition", "partitions", "constraint"} <= edited.keys()
    assert edited["partitions"]["cpu"]["max_gpu"] == 0


def test_the_command_works_as_typed() -> None:
    link = PROJECT / "slurm"
    assert link.is_symlink()
    assert link.resolve() == PROJECT / "profiles/slurm"
