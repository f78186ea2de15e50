"""TextAttack's marks and HTML remnants: what goes, and that nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.items.attacks.marks import MarkError, has_html, unmarked, without_html

PLAIN = st.text(st.characters(exclude_characters="[]<"), max_size=12)
MARKS = st.sampled_from([0, 1, 2])


@given(st.lists(st.tuples(PLAIN, MARKS), max_size=8))
def test_marking_words_and_removing_the_marks_gives_the_text_back(words):
    marked = "".join("[[" * depth + word + "]]" * depth for word, depth in words)
    assert unmarked(marked) == "".join(word for word, _ in words)


@given(st.text(st.sampled_from("[]ab \u2028"), max_size=14))
def test_nothing_but_pairs_of_brackets_goes(text):
    try:
        found = unmarked(text)
    except MarkError:
        return
    rest = iter(text)
    assert all(character in rest for character in found)  # a subsequence
    assert [c for c in found if c not in "[]"] == [c for c in text if c not in "[]"]
    assert all((text.count(b) - found.count(b)) % 2 == 0 for b in "[]")
    assert text.count("[") - found.count("[") == text.count("]") - found.count("]")


@given(st.text(st.characters(exclude_characters="[]<"), max_size=40))
def test_a_text_without_marks_stays_as_it_is(text):
    assert unmarked(text) == text


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("a [[b]] c", "a b c"),
        ("[[U]].S. [[jobs]]", "U.S. jobs"),
        ("[[[[bold]]]] word", "bold word"),
        ("by [[[Reuters]]]", "by [Reuters]"),
        ("[one] and ] or [", "[one] and ] or ["),
        ("[[two words]]", "two words"),
        ("[[]]x", "x"),
        ("first<SPLIT>[[second]]", "first\nsecond"),
        ('he said ""no""  twice ', 'he said ""no""  twice '),
    ],
)
def test_marks_as_the_logs_have_them(marked, text):
    assert unmarked(marked) == text


@pytest.mark.parametrize("text", ["[[a", "a]]", "]]a[[", "[[a]] b]]", "[[[[a]]"])
def test_a_mark_without_its_other_half_is_an_error(text):
    with pytest.raises(MarkError):
        unmarked(text)


@pytest.mark.parametrize(
    ("text", "restored"),
    [
        ("nation #39;s oil", "nation's oil"),
        ("costs  #36;5", "costs $5"),
        ("Merck  amp; Co", "Merck & Co"),
        ("the  quot;fool quot; of", 'the "fool" of'),
        ("&lt;b&gt;CORP&lt;/b&gt;", "<b>CORP</b>"),
        ("&#39;twas", "'twas"),
        ("years #151; or more", "years\N{EM DASH} or more"),
    ],
)
def test_remnants_of_html_become_the_characters_they_stand_for(text, restored):
    assert has_html(text) and without_html(text) == restored


@pytest.mark.parametrize("text", ["room #3; twelve", "result;", "a & b; c", "No. 1 #rank;", "AT&T"])
def test_what_only_looks_like_html_stays(text):
    assert not has_html(text) and without_html(text) == text


@given(st.text(st.characters(exclude_characters=";"), max_size=40))
def test_without_a_semicolon_there_is_nothing_to_restore(text):
    assert without_html(text) == text
