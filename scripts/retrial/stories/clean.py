"""Cleaning of what WritingPrompts' tokenisation left in its texts, rule by rule, reversibly.

Every change is recorded, so that the original can be restored byte for byte, and nothing but
what a rule names is touched: spelling, capitals, double blanks and dashes are the writer's.
chiang2023 removed such artefacts by hand from the human stories (appendix B.3) and does not
list which; its released stories keep some of them, more in the human half.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrial.digest import canonical_json
from retrial.errors import RetrialError
from retrial.stories.rules import PROMPT_ONLY, RULES, Rule


@dataclass(frozen=True)
class Edit:
    """One application of a rule: at `offset` of the text as it then became, `before` was.

    Offsets count characters. `after` stands there now; it is empty where something was removed.
    """

    rule: str
    offset: int
    before: str
    after: str


@dataclass(frozen=True)
class Cleaned:
    """A cleaned text and what was done to it, in order."""

    text: str
    edits: tuple[Edit, ...]

    @property
    def log(self) -> str:
        """The edits as canonical JSON: a list of [rule, offset, before, after]."""
        return canonical_json([[e.rule, e.offset, e.before, e.after] for e in self.edits])


def clean_story(text: str, rules: Sequence[Rule] = RULES) -> Cleaned:
    """A story without the listed artefacts; the rules are applied one after the other."""
    edits: list[Edit] = []
    for rule in rules:
        text = _apply(rule, text, edits)
    return Cleaned(text, tuple(edits))


def clean_prompt(text: str, rules: Sequence[Rule] = RULES) -> Cleaned:
    """A prompt, likewise; the subreddit's tag before it (`[ WP ]`) is removed too."""
    return clean_story(text, (*PROMPT_ONLY, *rules))


def restore(text: str, edits: Iterable[Edit]) -> str:
    """The text before the edits. Raises RetrialError when they are not this text's."""
    for edit in reversed(list(edits)):
        end = edit.offset + len(edit.after)
        if edit.offset > len(text) or text[edit.offset : end] != edit.after:
            raise RetrialError(
                f"cleaning: the record says that rule {edit.rule} wrote {edit.after!r} at "
                f"{edit.offset}, and it is not there: the text was changed afterwards"
            )
        text = text[: edit.offset] + edit.before + text[end:]
    return text


def read_log(log: str) -> tuple[Edit, ...]:
    """The edits of a `Cleaned.log`."""
    return tuple(Edit(*fields) for fields in json.loads(log))


def _apply(rule: Rule, text: str, edits: list[Edit]) -> str:
    """The text after one rule; what it did is added to `edits`."""
    parts: list[str] = []
    end = length = 0
    for start, stop, after in rule.find(text):
        parts += (text[end:start], after)
        length += start - end
        edits.append(Edit(rule.name, length, text[start:stop], after))
        length += len(after)
        end = stop
    return "".join((*parts, text[end:]))
