"""Which tokens stand for which rating, at the place where the answer would start.

A rating alone tokenises otherwise than behind a prompt: SentencePiece puts a blank token
before a lone digit, GPT-2 has one token for `4` and one for ` 4`, other vocabularies split
` 4` in two. So prompt and rating are tokenised together, and the tokens that all ratings
share belong to the context that is fed to the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from retrial.errors import RetrialError
from retrial.judging.encode import Encode, PromptEncoder

Tokens = tuple[int, ...]

WORDS = {
    "0": "zero",
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "10": "ten",
}
FULL_WIDTH = str.maketrans("0123456789", "".join(map(chr, range(0xFF10, 0xFF1A))))
OPENING = "\"'([{<\u201c\u2018\u00ab"


@dataclass(frozen=True)
class RatingTokens:
    """The token sequences of each rating, and how to get a prompt's context for them.

    `sequences` maps a rating to its spellings, each of one token or more; its probability is
    the sum over them. `lead` holds what an encoder-decoder model's decoder is fed before the
    answer (empty for causal models, where the context holds it).
    """

    sequences: Mapping[str, tuple[Tokens, ...]]
    joiner: str
    lead: Tokens = ()
    encode: Encode | None = field(default=None, compare=False, repr=False)

    def context(self, prompt: str) -> Tokens:
        """The tokens to feed for this prompt, whose end must be that of the first prompt.

        Raises RetrialError when the tokens of prompt and rating together do not end with
        those of the rating, that is when these rating tokens are not valid behind it.
        """
        found = self.try_context(prompt)
        if found is None:
            raise RetrialError(
                f"the prompt that ends with {prompt[-30:]!r} does not take the rating tokens that "
                "were found for its template: its end is tokenised differently"
            )
        return found

    def try_context(self, prompt: str) -> Tokens | None:
        """Like `context`, with None where the rating tokens are not valid."""
        if self.encode is None:
            raise RetrialError("these rating tokens were made without a tokenizer")
        rating, spellings = next(iter(self.sequences.items()))
        if self.joiner == NO_PROMPT:
            return self.encode(prompt)
        together = self.encode(prompt + self.joiner + rating)
        cut = len(together) - len(spellings[0])
        return together[:cut] if together[cut:] == spellings[0] and cut > 0 else None


NO_PROMPT = "\0"
"""Joiner of encoder-decoder models: the answer is not tokenised behind the prompt."""


def find_rating_tokens(
    encode: Encode, prompt: str, ratings: Sequence[str], *, joiner: str | None = None
) -> RatingTokens:
    """The rating tokens behind this prompt, for a causal model.

    `joiner` is what separates prompt and answer: by default nothing after white space or an
    opening quote or bracket, else one blank. Beside the rating as written, spellings that
    are a single token at the same place count too: with and without the blank, number words,
    full-width digits. Raises RetrialError for fewer than two ratings and for ratings that
    the tokenizer can't tell apart.
    """
    _check_ratings(ratings)
    joiner = default_joiner(prompt) if joiner is None else joiner
    together = {r: encode(prompt + joiner + r) for r in ratings}
    probes = [encode(prompt + joiner + p) for p in _probes(ratings)]
    context = _shared([*together.values(), *probes])
    if not context:
        raise RetrialError("a prompt must have at least one token before the answer")
    canonical = {r: ids[len(context) :] for r, ids in together.items()}

    def behind(text: str) -> Tokens | None:
        ids = encode(prompt + text)
        return ids[len(context) :] if ids[: len(context)] == context else None

    blanks = ("", " ") if not prompt[-1:].isspace() else ("",)
    return RatingTokens(_with_variants(canonical, behind, blanks), joiner, (), encode)


def find_decoder_tokens(encoder: PromptEncoder, ratings: Sequence[str]) -> RatingTokens:
    """The rating tokens at the start of the answer of an encoder-decoder model."""
    _check_ratings(ratings)
    alone = {r: encoder.label(r) for r in ratings}
    lead = _shared([*alone.values(), *(encoder.label(p) for p in _probes(ratings))])
    canonical = {r: ids[len(lead) :] for r, ids in alone.items()}

    def behind(text: str) -> Tokens | None:
        ids = encoder.label(text)
        return ids[len(lead) :] if ids[: len(lead)] == lead else None

    return RatingTokens(_with_variants(canonical, behind, ("",)), NO_PROMPT, lead, encoder)


class RatingTokenFinder:
    """Finds rating tokens once for each ending of prompts and checks them on every prompt."""

    def __init__(self, encode: Encode, *, joiner: str | None = None) -> None:
        """`joiner` as in `find_rating_tokens`."""
        self._encode, self._joiner = encode, joiner
        self._known: dict[tuple[str, tuple[str, ...]], RatingTokens] = {}

    def locate(self, prompt: str, ratings: Sequence[str]) -> tuple[Tokens, RatingTokens]:
        """The context tokens of the prompt, and the rating tokens behind it."""
        key = (prompt[-12:], tuple(ratings))
        known = self._known.get(key)
        context = known.try_context(prompt) if known else None
        if known is None or context is None:
            known = find_rating_tokens(self._encode, prompt, ratings, joiner=self._joiner)
            self._known[key] = known
            context = known.context(prompt)
        return context, known


def default_joiner(prompt: str) -> str:
    """What stands between a prompt and its answer: nothing where a blank would be a second."""
    return "" if not prompt or prompt[-1].isspace() or prompt[-1] in OPENING else " "


def _check_ratings(ratings: Sequence[str]) -> None:
    if len(ratings) < 2 or len(set(ratings)) < len(ratings) or not all(ratings):
        raise RetrialError(f"at least two different, non-empty ratings are needed, not {ratings}")


def _probes(ratings: Sequence[str]) -> Sequence[str]:
    """Other answers, so that a beginning common to all ratings is not taken for context."""
    return "0123456789" if all(r.isdecimal() for r in ratings) else "05AZaz"


def _shared(sequences: Sequence[Tokens]) -> Tokens:
    """The longest beginning that all share, leaving each at least one token."""
    shortest = min(map(len, sequences)) - 1
    length = 0
    while length < shortest and len({s[length] for s in sequences}) == 1:
        length += 1
    return sequences[0][:length]


def _with_variants(
    canonical: Mapping[str, Tokens],
    behind: Callable[[str], Tokens | None],
    blanks: Sequence[str],
) -> dict[str, tuple[Tokens, ...]]:
    """Adds single-token spellings that can't be the beginning of another rating."""
    if len(set(canonical.values())) < len(canonical):
        raise RetrialError(f"the tokenizer can't tell these ratings apart: {sorted(canonical)}")
    claims: dict[Tokens, set[str]] = {}
    for rating in canonical:
        for spelling in _spellings(rating):
            for blank in blanks:
                tokens = behind(blank + spelling)
                if tokens is not None and len(tokens) == 1:
                    claims.setdefault(tokens, set()).add(rating)
    starts = {ids[:1] for ids in canonical.values()}
    found = {r: [ids] for r, ids in canonical.items()}
    for tokens, claimed in claims.items():
        if len(claimed) == 1 and tokens not in starts:
            found[claimed.pop()].append(tokens)
    return {r: tuple(spellings) for r, spellings in found.items()}


def _spellings(rating: str) -> list[str]:
    word = WORDS.get(rating)
    others = [word, word.capitalize(), rating.translate(FULL_WIDTH)] if word else []
    return list(dict.fromkeys([rating, *others]))
