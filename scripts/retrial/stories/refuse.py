"""Why a drawn story is not kept: it says nothing, repeats its prompt, or broke a character."""

from retrial.stories.pairs import same_words
from retrial.stories.sentences import sentence_ends
from retrial.stories.trim import count_words

BROKEN = "\ufffd"
"""What bytes that are no UTF-8 are decoded to: byte-level tokens can break a character."""

EMPTY, TOO_SHORT = "empty", "too short"
BROKEN_CHARACTER, REPEATED_PROMPT = "broken character", "repeated prompt"


def why_not(text: str, trimmed: str, prompt: str, minimum_words: int = 0) -> str:
    """The reason against a story, or an empty text when there is none.

    `text` is the story as it was drawn, `trimmed` what judges would read.
    """
    if not same_words(trimmed):
        return EMPTY
    if BROKEN in text:
        return BROKEN_CHARACTER
    if repeats(trimmed, prompt):
        return REPEATED_PROMPT
    return TOO_SHORT if count_words(trimmed) < minimum_words else ""


def repeats(story: str, prompt: str) -> bool:
    """Whether a story is its prompt over again, or begins with the whole prompt as a piece.

    Letters and digits are compared, in small letters. A story that only begins with the same
    words as its prompt and goes on in the same sentence does not repeat it.
    """
    said = same_words(prompt)
    if not said:
        return False
    ends = [*sentence_ends(story), story.find("\n"), len(story)]
    if any(same_words(story[:end]) == said for end in ends if end > 0):
        return True
    return not same_words(story).replace(said, "")
