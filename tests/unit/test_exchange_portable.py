"""What leaves the machine: no secrets, no paths of its own; licences as they are stated."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.exchange.licences import restricted, terms
from retrial.exchange.portable import HIDDEN, portable, portable_text, secret_in
from retrial.sources.catalogue import Source, SourceFile

PARTS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,7}", fullmatch=True)


@given(st.lists(PARTS, min_size=2, max_size=5), st.sampled_from(["/", "~/", "file:///", "C:/"]))
def test_no_absolute_path_survives(parts: list[str], start: str) -> None:
    path = start + "/".join(parts)
    for text in (path, f"store={path}", f"read '{path}' twice", f"--out {path} --quiet"):
        found = portable_text(text)
        assert path not in found and f"{start}{parts[0]}/" not in found
        assert parts[-1] in found


@pytest.mark.parametrize(
    "text",
    ["results/demo/store/judge", "1/5", "and/or", "3 / 4", "tables/a.parquet", "a ~ b", "-1.5",
     "https://example.org/a/b", "HuggingFaceTB/SmolLM2-135M"],
)  # fmt: skip
def test_what_is_no_absolute_path_is_kept(text: str) -> None:
    assert portable_text(text) == text


@pytest.mark.parametrize(
    "secret",
    ["hf_" + "a1B2" * 8, "sk-" + "x9" * 12, "ghp_" + "Z" * 36, "Bearer " + "abc1" * 8,
     "https://anna:pa55word@example.org/x"],
)  # fmt: skip
def test_secrets_are_found_and_hidden(secret: str) -> None:
    assert secret_in(f'{{"note": "{secret}"}}')
    text = json.dumps(portable({"spec": {"note": f"with {secret}"}}))
    assert not secret_in(text) and HIDDEN in text


def test_fields_named_as_secrets_are_hidden_but_not_counts_of_tokens() -> None:
    job = {"api_key": "abc", "HF_TOKEN": "x", "context_tokens": 512, "rating_tokens": ["1"]}
    assert portable(job) == {"api_key": HIDDEN, "HF_TOKEN": HIDDEN, "context_tokens": 512,
                             "rating_tokens": ["1"]}  # fmt: skip


def source(licence: str) -> Source:
    file = SourceFile(url="https://example.org/f", trust="first-use", max_bytes=9)
    return Source(title="t", homepage="h", citation="c", licence=licence, note="n",
                  files={"f": file})  # fmt: skip


@pytest.mark.parametrize(
    ("licence", "free"),
    [
        ("MIT", True),
        ("Apache-2.0", True),
        ("CC-BY-4.0", True),
        ("none stated", False),
        ("CC-BY-NC-4.0", False),
        ("MIT (the stories are other people's)", False),
        ("Mitigated", False),
    ],
)
def test_only_a_clear_licence_is_free(licence: str, free: bool) -> None:
    assert terms("a", {"a": source(licence)}).free is free


def test_an_unknown_source_is_named_as_such() -> None:
    (found,) = restricted(["own", "a"], {"a": source("MIT")})
    assert found.source == "own" and "not in" in found.licence
