"""Fits a prompt to a model's context by leaving out whole turns, never parts of them.

The cuts have one fixed order that depends on the prompt alone: the oldest turns of the
examples (always from the example that is longest at the time), then whole examples, worst
first, then the oldest turns of the judged item. Of that list as many are made as the limit
asks for and no more, so a larger limit never cuts more. The instruction, the last turn of
the item, all label lines of kept examples and the cue are never cut.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

Count = Callable[[str], int]
"""The number of tokens of a text."""

EXAMPLE_TURNS_KEPT = 2
"""Turns at the end of an example that are only cut with the whole example."""

SHARED_ITEM_TURNS = 2
"""With shared examples, the item is cut down to this many turns before the examples are."""


@dataclass(frozen=True)
class ExamplePart:
    """One in-context example as text: heading, turns, and the line with its label.

    `rank` 0 is the best; the highest rank is left out first, wherever it stands.
    """

    turns: tuple[str, ...]
    head: str
    tail: str
    rank: int = 0

    @property
    def pieces(self) -> tuple[str, ...]:
        """Its texts in order."""
        return (self.head, *self.turns, self.tail)


@dataclass(frozen=True)
class PromptParts:
    """A prompt in the pieces that it may be cut at. Every piece brings its own line ends."""

    instruction: str
    examples: tuple[ExamplePart, ...]
    item_head: str
    item_turns: tuple[str, ...]
    item_tail: str
    cue: str

    @property
    def pieces(self) -> tuple[str, ...]:
        """All texts in order."""
        examples = (piece for e in self.examples for piece in e.pieces)
        item = (self.item_head, *self.item_turns, self.item_tail)
        return (self.instruction, *examples, *item, self.cue)

    @cached_property
    def text(self) -> str:
        """The prompt: all pieces in order, with nothing put between them."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class Fitted:
    """A prompt that fits. `turns_dropped` counts all turns cut, `item_turns_dropped` too."""

    parts: PromptParts
    examples_kept: int
    turns_dropped: int
    item_turns_dropped: int
    tokens: int


@dataclass(frozen=True)
class TooLong:
    """No cut makes it fit: `tokens` are left, `limit` are allowed."""

    tokens: int
    limit: int

    @property
    def reason(self) -> str:
        """One sentence for the answer's row."""
        return f"{self.tokens} tokens remain after all allowed cuts, {self.limit} fit the context"


def fit_prompt(
    parts: PromptParts,
    count: Count,
    limit: int,
    *,
    examples_limit: int | None = None,
    shared_examples: bool = False,
) -> Fitted | TooLong:
    """The prompt with the fewest cuts that has at most `limit` tokens by `count`.

    `examples_limit` first cuts the examples to so many tokens, whether or not the prompt
    would fit. With `shared_examples` (already cut once for all items, so that all prompts
    begin with the same bytes) the item gives way first, down to its last two turns; only if
    that is not enough are the examples cut as usual. `count` is called on whole prompts as
    well as on pieces, and must not shrink when text is added.
    """
    start = parts
    if examples_limit is not None:
        start = replace(parts, examples=cut_shared_examples(parts.examples, count, examples_limit))
    tokens = count(start.text)
    if tokens <= limit:
        return _fitted(parts, start, tokens)
    cutter = _Cutter(start, count)
    steps = [
        *(cutter.item_turns(SHARED_ITEM_TURNS) if shared_examples else ()),
        *cutter.example_turns(),
        *cutter.whole_examples(),
        *cutter.item_turns(1),
    ]
    for candidate in _from_first_fitting(steps, count, limit):
        tokens = count(candidate.text)
        if tokens <= limit:
            return _fitted(parts, candidate, tokens)
    return TooLong(tokens, limit)


def cut_shared_examples(
    examples: Sequence[ExamplePart], count: Count, budget: int
) -> tuple[ExamplePart, ...]:
    """The examples cut to `budget` tokens: oldest turns first, then the worst whole.

    Cut once and used for all items of a replicate, they keep the beginning of all prompts
    identical. None are left when not even one fits.
    """
    alone = PromptParts("", tuple(examples), "", (), "", "")
    if count(alone.text) <= budget:
        return alone.examples
    cutter = _Cutter(alone, count)
    steps = [*cutter.example_turns(), *cutter.whole_examples()]
    fitting = _from_first_fitting(steps, count, budget)
    return next((p.examples for p in fitting if count(p.text) <= budget), ())


def cached_count(count: Count, *, longest: int = 4000) -> Count:
    """`count` that remembers texts of up to `longest` characters: turns recur, prompts don't."""
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        if len(text) > longest:
            return count(text)
        if text not in known:
            known[text] = count(text)
        return known[text]

    return counted


@dataclass(frozen=True)
class _Step:
    """A prompt after some cuts, with the sum of its pieces' token counts."""

    parts: PromptParts
    estimate: int


class _Cutter:
    """Makes one cut after the other; each method yields the prompt after each of its cuts."""

    def __init__(self, parts: PromptParts, count: Count) -> None:
        marks = count("")  # what every count has on top: a beginning-of-text token, markup
        self._count, self._marks = count, marks
        self._parts = parts
        self._estimate = marks + self._size(*parts.pieces)

    def item_turns(self, keep: int) -> Iterator[_Step]:
        """Oldest turns of the item, until `keep` are left."""
        while len(self._parts.item_turns) > keep:
            first, *rest = self._parts.item_turns
            yield self._step(replace(self._parts, item_turns=tuple(rest)), self._size(first))

    def example_turns(self) -> Iterator[_Step]:
        """Oldest turns of whichever example is longest; among equals of the worst."""
        examples = list(self._parts.examples)
        sizes = [self._size(*e.pieces) for e in examples]
        heap = [(-sizes[i], -e.rank, -i) for i, e in enumerate(examples)]
        heapify(heap)
        while heap:
            left, rank, place = heappop(heap)
            example = examples[-place]
            if len(example.turns) > EXAMPLE_TURNS_KEPT:
                size = self._size(example.turns[0])
                examples[-place] = replace(example, turns=example.turns[1:])
                heappush(heap, (left + size, rank, place))
                yield self._step(replace(self._parts, examples=tuple(examples)), size)

    def whole_examples(self) -> Iterator[_Step]:
        """Examples by rank, the worst first; among equals the last."""
        while self._parts.examples:
            examples = self._parts.examples
            worst = max(range(len(examples)), key=lambda i: (examples[i].rank, i))
            kept = examples[:worst] + examples[worst + 1 :]
            size = self._size(*examples[worst].pieces)
            yield self._step(replace(self._parts, examples=kept), size)

    def _size(self, *texts: str) -> int:
        return sum(max(self._count(text) - self._marks, 0) for text in texts)

    def _step(self, parts: PromptParts, removed: int) -> _Step:
        self._parts, self._estimate = parts, self._estimate - removed
        return _Step(self._parts, self._estimate)


def _fitted(before: PromptParts, after: PromptParts, tokens: int) -> Fitted:
    item_dropped = len(before.item_turns) - len(after.item_turns)
    dropped = _example_turns(before) - _example_turns(after)
    return Fitted(after, len(after.examples), dropped + item_dropped, item_dropped, tokens)


def _example_turns(parts: PromptParts) -> int:
    return sum(len(e.turns) for e in parts.examples)


def _from_first_fitting(steps: Sequence[_Step], count: Count, limit: int) -> Iterator[PromptParts]:
    """Steps to try, fewest cuts first, from the first that may fit.

    The sum of the pieces only guides the search: tokens may merge across pieces, so earlier
    steps are tried for as long as they fit by an exact count.
    """
    if not steps:
        return iter(())
    guess = next((i for i, s in enumerate(steps) if s.estimate <= limit), len(steps) - 1)
    while guess > 0 and count(steps[guess - 1].parts.text) <= limit:
        guess -= 1
    return (s.parts for s in steps[guess:])
