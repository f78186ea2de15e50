"""A prompt with a person's story, and how pairs are drawn and kept."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from retrial.errors import RetrialError
from retrial.items.split import shuffled
from retrial.record import STORY_PAIRS, from_rows, read_batches
from retrial.stories.clean import clean_prompt

SPLITS = ("train", "valid", "test")
BATCH_ROWS = 1024


@dataclass(frozen=True)
class Pair:
    """A prompt and a person's story, both verbatim, and where they were read.

    `split` is train, valid or test; `source_line` counts from 1.
    """

    split: str
    prompt: str
    story: str
    source: str
    source_line: int


@dataclass(frozen=True)
class Draw:
    """How many pairs of each split are taken, at random; None is all of them."""

    train: int | None = None
    valid: int | None = None
    test: int | None = None
    seed: int = 1

    def count(self, split: str) -> int | None:
        """The number for one split."""
        found: int | None = getattr(self, split)
        return found


def draw_lines(split: str, lines: int, draw: Draw) -> Sequence[int]:
    """The line numbers (from 1, ascending) that a draw takes from a split of so many lines.

    Raises RetrialError when it has fewer than asked for.
    """
    wanted = draw.count(split)
    if wanted is None:
        return range(1, lines + 1)
    if wanted > lines:
        raise RetrialError(
            f"story set: {wanted} {split} pairs are wanted and the source has {lines}; ask for less"
        )
    numbers = shuffled([str(n) for n in range(1, lines + 1)], "pairs", split, draw.seed)
    return sorted(int(n) for n in numbers[:wanted])


def draw_prompts(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """`count` pairs with different prompts, drawn at random, in the order of their source.

    Prompts are compared by `same_words` once cleaned; of pairs that share one, a random one is
    taken. A larger count with the same seed only adds pairs. Raises RetrialError when there are
    too few.
    """
    places = {f"{p.source}:{p.source_line}": p for p in pairs}
    firsts: dict[str, Pair] = {}
    for place in shuffled(sorted(places), "prompts", seed):
        prompt = clean_prompt(places[place].prompt).text
        firsts.setdefault(same_words(prompt), places[place])
    if count > len(firsts):
        raise RetrialError(
            f"stories: {count} test prompts are wanted and {len(firsts)} different ones are there; "
            "ask for fewer"
        )
    return sorted(islice(firsts.values(), count), key=lambda p: (p.source, p.source_line))


def same_words(text: str) -> str:
    """The letters and digits of a text in small letters: equal for texts of the same words."""
    return re.sub(r"[\W_]+", "", text.casefold())


def batches(pairs: Iterable[Pair], rows: int = BATCH_ROWS) -> Iterator[pa.Table]:
    """Tables of the story pairs contract, so many rows each; at least one, so that none is lost."""
    waiting = iter(pairs)
    first = True
    while (batch := list(islice(waiting, rows))) or first:
        yield from_rows((asdict(p) for p in batch), STORY_PAIRS)
        first = False


def read_pairs(path: Path, split: str) -> Iterator[Pair]:
    """The pairs of a split from a file of the contract, read a batch at a time."""
    for table in read_batches(path, STORY_PAIRS):
        for row in table.filter(pc.equal(table["split"], split)).to_pylist():
            yield Pair(**row)
