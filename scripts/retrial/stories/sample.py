"""The stories of a generator on test prompts, beside the stories that people wrote on them."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from retrial.config.stories import Drawing, Learning
from retrial.digest import content_id, sha256_text
from retrial.errors import RetrialError
from retrial.judging.answer_text import GeneratedAnswer
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import LoadedJudge, load_judge
from retrial.progress import progress
from retrial.record import STORIES, from_rows
from retrial.stories.clean import Cleaned, clean_prompt, clean_story
from retrial.stories.draw import draw_stories
from retrial.stories.encode import StoryEncoder, in_batches
from retrial.stories.pairs import Pair, draw_prompts, same_words
from retrial.stories.refuse import why_not
from retrial.stories.trim import Trimmed, trim_story

log = logging.getLogger("retrial")

HUMAN, GENERATED = "human", "generated"
DRAWING_VERSION = 1
"""Raised when the same request gives another story."""


@dataclass
class Wish:
    """A story that is wanted: its pair, its request, and what came of it so far."""

    pair: Pair
    prompt: str
    opening: list[int]
    request: str
    tries: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    drawn: GeneratedAnswer | None = None

    @property
    def seed(self) -> str:
        """What the present try is seeded with, in hexadecimal."""
        return sha256_text(f"{self.request}:{self.tries}")


def write_stories(
    generator: str,
    pairs: Sequence[Pair],
    files: ModelFiles,
    learning: Learning,
    drawing: Drawing,
    threads: int | None = None,
) -> pa.Table:
    """The stories table: for each drawn test prompt, a person's story and a generated one.

    Raises RetrialError when a prompt's draws are all refused, naming the prompt and the reasons.
    """
    test = [p for p in pairs if p.split == "test" and same_words(clean_story(p.story).text)]
    chosen = draw_prompts(test, drawing.prompts, drawing.seed)
    loaded = load_judge(files, dtype=drawing.precision, threads=threads)
    encoder = StoryEncoder(loaded.tokenizer, learning, loaded.context_tokens)
    wishes = [_wish(pair, encoder, files, drawing) for pair in chosen]
    draw_all(loaded, wishes, drawing)
    rows = [row for w in wishes for row in _rows(generator, w, files, drawing)]
    return from_rows(rows, STORIES)


def draw_all(loaded: LoadedJudge, wishes: Sequence[Wish], drawing: Drawing) -> None:
    """Draws until every wish has a story, the refused ones again with their next seed.

    The batches of a round are consecutive wishes, so that a run repeats the arithmetic of another.
    """
    waiting = list(wishes)
    with progress("stories", len(waiting), "stories") as advance:
        while waiting:
            for batch in in_batches(range(len(waiting)), drawing.batch):
                _draw(loaded, [waiting[i] for i in batch], drawing)
            left = [wish for wish in waiting if wish.drawn is None]
            advance(len(waiting) - len(left))
            _give_up(left, drawing)
            waiting = left


def _draw(loaded: LoadedJudge, batch: Sequence[Wish], drawing: Drawing) -> None:
    for wish in batch:
        wish.tries += 1
    openings, seeds = [wish.opening for wish in batch], [wish.seed for wish in batch]
    for wish, drawn in zip(batch, draw_stories(loaded, openings, seeds, drawing), strict=True):
        _, trimmed = _finish(drawn.text, drawing)
        reason = why_not(drawn.text, trimmed.text, wish.prompt, drawing.minimum_words)
        if reason:
            wish.rejected[reason] += 1
        else:
            wish.drawn = drawn


def _give_up(left: Sequence[Wish], drawing: Drawing) -> None:
    """Raises RetrialError for a wish whose tries are used up."""
    if spent := [wish for wish in left if wish.tries >= drawing.tries]:
        first = spent[0]
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(first.rejected.items()))
        where = f"line {first.pair.source_line} of {first.pair.source}"
        raise RetrialError(
            f"stories: {len(spent)} prompts got no story in {drawing.tries} draws; the first is "
            f"{where} ({reasons}). Raise `tries`, lower `minimum_words`, or train longer"
        )


def _wish(pair: Pair, encoder: StoryEncoder, files: ModelFiles, drawing: Drawing) -> Wish:
    prompt = encoder.prompt_text(pair)
    asked = {
        "opening": prompt,
        "separator": encoder.learning.separator,
        "prompt_tokens": encoder.learning.prompt_tokens,
        "model": files.asked_digest,
        "sampling": [drawing.top_p, drawing.temperature, drawing.story_tokens, drawing.seed],
        "precision": drawing.precision,
        "place": [pair.source, pair.source_line],
        "version": DRAWING_VERSION,
    }
    return Wish(pair, prompt, encoder.opening(prompt), content_id(asked))


def _finish(text: str, drawing: Drawing) -> tuple[Cleaned, Trimmed]:
    """Cleaned and trimmed, by the same code for both writers."""
    cleaned = clean_story(text)
    return cleaned, trim_story(cleaned.text, drawing.count, drawing.words)


def _rows(
    generator: str, wish: Wish, files: ModelFiles, drawing: Drawing
) -> Iterator[Mapping[str, Any]]:
    """A person's story, then the generated one."""
    assert wish.drawn is not None, "every wish has its story"
    person = {"tries": 0, "rejected": [], "tokens": -1, "finish_reason": ""}
    yield _row(generator, HUMAN, wish.pair, wish.pair.story, drawing, person)
    drawn = {
        "model_digest": files.asked_digest,
        "seed": wish.seed,
        "tries": wish.tries,
        "rejected": sorted(wish.rejected.items()),
        "tokens": wish.drawn.tokens,
        "finish_reason": wish.drawn.finish_reason,
    }
    yield _row(generator, GENERATED, wish.pair, wish.drawn.text, drawing, drawn)


def _row(
    generator: str, writer: str, pair: Pair, raw: str, drawing: Drawing, about: Mapping[str, Any]
) -> dict[str, Any]:
    prompt = clean_prompt(pair.prompt)
    cleaned, trimmed = _finish(raw, drawing)
    place = [pair.source, pair.source_line]
    return {
        "story_id": content_id([generator, writer, pair.prompt, raw, place]),
        "generator": generator,
        "prompt_id": content_id([pair.prompt, place]),
        "writer": writer,
        "prompt": prompt.text,
        "text_raw": raw,
        "text_cleaned": cleaned.text,
        "text": trimmed.text,
        "words": trimmed.words,
        "flags": list(trimmed.flags),
        "edits": cleaned.log,
        "prompt_edits": prompt.log,
        "source": pair.source,
        "source_line": pair.source_line,
        **about,
    }
