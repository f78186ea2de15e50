"""Consistency of chiang2023: printed values against themselves and against recounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrial.consistency.chiang2023 import chiang2023_findings
from retrial.consistency.finding import Finding

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
# Recomputed once from the released answers by a separate program: means, then exact agreement.
RECOUNTED = {
    "text-davinci-003 / human-written": ("4.2192 4.5350 3.9908 4.3967", "35 39.5 68.5 48.5"),
    "text-davinci-003 / gpt2": ("4.0742 4.2567 3.8358 4.0175", "45.5 42 62 42.5"),
    "text-curie-001 / human-written": ("3.1883 2.8150 2.8533 3.0567", "46.5 47.5 65 64"),
    "text-curie-001 / gpt2": ("3.2225 2.8175 2.8592 3.0108", "38 50 65.5 61"),
}


def recomputed() -> dict[tuple[str, str], float]:
    """The recounted numbers, keyed as the published values are."""
    found = {}
    for row, texts in RECOUNTED.items():
        for kind, text in zip(("mean", "agreement_percent"), texts, strict=True):
            for attribute, number in zip(ATTRIBUTES, text.split(), strict=True):
                found[row, f"{attribute}_{kind}"] = float(number)
    return found


def by_check(numbers: dict[tuple[str, str], float], check: str) -> list[Finding]:
    """Findings of one check."""
    return [f for f in chiang2023_findings(PUBLISHED, numbers) if f.check == check]


def test_agreement_printed_as_a_share_is_read_as_64_percent() -> None:
    """Relevance is 64.0 % of the human-written stories; likability is 65, which is not .64."""
    likability, relevance = by_check(recomputed(), "agreement-unit")
    assert relevance.verdict == "explained"
    assert relevance.numbers["recomputed_human-written"] == 64.0
    assert likability.verdict == "contradicted"
    assert likability.numbers["recomputed_human-written"] == 65.0
    assert "no whole number of 200 stories" in relevance.detail


def test_printed_agreements_are_whole_numbers_of_200_stories() -> None:
    """20.5 % is 41 stories; 27 % may be 53 to 55."""
    findings = {f.columns[0]: f for f in by_check({}, "agreement-grid")}
    assert {f.verdict for f in findings.values()} == {"explained"}
    assert "41 stories" in findings["grammaticality_agreement_percent"].detail


def test_impossible_agreement_is_found(tmp_path: Path) -> None:
    """20.3 % of 200 stories is 40.6 of them."""
    text = (PUBLISHED / "chiang2023.csv").read_text(encoding="utf-8")
    assert text.count(",20.5,") == 1
    (tmp_path / "chiang2023.csv").write_text(text.replace(",20.5,", ",20.3,"), encoding="utf-8")
    wrong = [f for f in chiang2023_findings(tmp_path, {}) if f.verdict == "impossible"]
    assert [f.columns for f in wrong] == [("grammaticality_agreement_percent",)]


def test_gaps() -> None:
    """curie relevance .05 against .0459; T0 has no released answers."""
    findings = {f.rows[0]: f for f in by_check(recomputed(), "gap")}
    assert findings["text-curie-001"].verdict == "supported"
    assert findings["text-curie-001"].numbers["recomputed"] == pytest.approx(0.0459)
    assert findings["t0"].verdict == "not-decidable"
    changed = recomputed() | {("text-curie-001 / gpt2", "relevance_mean"): 2.9}
    findings = {f.rows[0]: f for f in by_check(changed, "gap")}
    assert findings["text-curie-001"].verdict == "contradicted"


def test_claims() -> None:
    """Preferences by sign, and the one attack at hand that contradicts the text."""
    found = {f.check: f for f in chiang2023_findings(PUBLISHED, recomputed())}
    assert found["claim:davinci-prefers-human"].verdict == "supported"
    assert found["claim:davinci-prefers-human"].numbers["above_0"] == 4
    assert found["claim:curie-no-preference"].verdict == "supported"
    assert found["claim:chatgpt-prefers-human"].verdict == "not-decidable"
    attacked = found["claim:chatgpt-above-teachers"]
    assert attacked.verdict == "contradicted"
    assert attacked.numbers["textfooler"] == pytest.approx(-0.05)
    assert found["claim:chatgpt-knows-equal-pairs"].verdict == "supported"
    assert found["claim:davinci-knows-equal-pairs"].verdict == "suspicious"
    assert found["claim:model-is-cheaper"].numbers["ratio_above"] == pytest.approx(28)


def test_without_recounts_nothing_is_guessed() -> None:
    """Every check that needs recounted numbers says so, and names the missing one."""
    open_checks = [f for f in chiang2023_findings(PUBLISHED, {}) if f.verdict == "not-decidable"]
    assert {f.check for f in open_checks} >= {"agreement-unit", "gap"}
    gap = next(f for f in open_checks if f.rows == ("text-curie-001",) and f.check == "gap")
    assert "text-curie-001 / human-written, relevance_mean" in gap.detail


def test_negative_alphas_are_named() -> None:
    """Two of the teachers' eight alphas are below chance."""
    (finding,) = by_check({}, "negative-alpha")
    assert finding.numbers == pytest.approx({"below": 2, "alphas": 8, "lowest": -0.21})
    assert finding.columns == ("likability_alpha", "relevance_alpha")
