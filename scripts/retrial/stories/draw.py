"""Drawing of stories from a generator, in batches, each from random numbers of its own."""

from collections.abc import Sequence

from retrial.config.stories import Drawing
from retrial.judging import generation
from retrial.judging.answer_text import GeneratedAnswer
from retrial.judging.models import LoadedJudge


def draw_stories(
    loaded: LoadedJudge, openings: Sequence[Sequence[int]], seeds: Sequence[str], drawing: Drawing
) -> list[GeneratedAnswer]:
    """A continuation of each opening, drawn with the seed (hexadecimal) at its place.

    The seeds must differ. Raises RetrialError for an opening that leaves no room for a story.
    """
    how = generation.Drawing(drawing.temperature, drawing.top_p, (), drawing.story_tokens)
    questions = [
        generation.Question(tuple(opening), (seed,), how)
        for opening, seed in zip(openings, seeds, strict=True)
    ]
    tokens = len(openings) * (max(map(len, openings), default=0) + drawing.story_tokens)
    drawn = generation.generate_answers(
        loaded, questions, strategy="batched", batch_tokens=max(tokens, 1)
    )
    by_seed = {answer.request_id: answer for answer in drawn}
    return [by_seed[seed] for seed in seeds]
