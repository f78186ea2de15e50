"""Scoring by generation (jia2024, section 3): answers as free text, to be parsed later.

The samples of a prompt share one reading of it. Every answer draws from random numbers of its
own, so it is the same whatever else is asked in the same batch.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch

from retrial.errors import RetrialError
from retrial.judging import forward
from retrial.judging.answer_text import Ending, GeneratedAnswer, GrowingAnswer, end_tokens
from retrial.judging.decoding import Started, start_again, start_batch, start_decoder, start_one
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import Tokens
from retrial.judging.sampling import draw_tokens

log = logging.getLogger("retrial")


@dataclass(frozen=True, order=True)
class Drawing:
    """How answers are drawn. Temperature 0 takes the likeliest token each time."""

    temperature: float
    top_p: float
    stop: tuple[str, ...]
    answer_tokens: int


@dataclass(frozen=True)
class Question:
    """One prompt as tokens, and the ids of the answers that are wanted to it."""

    token_ids: Tokens
    request_ids: tuple[str, ...]
    drawing: Drawing


def generate_answers(
    judge: LoadedJudge,
    questions: Sequence[Question],
    *,
    strategy: str = "auto",
    batch_tokens: int = 16384,
) -> Iterator[GeneratedAnswer]:
    """The answers to all questions, in the order in which they get ready.

    With `batched`, questions of similar length share a batch of at most `batch_tokens`
    tokens, answers included; otherwise they are asked one by one. Nothing is kept from one
    call to the next, so the same questions always repeat the same arithmetic. Raises
    RetrialError for a prompt that leaves no room for its answer, and for logits that are not
    finite.
    """
    for question in questions:
        _check_room(judge, question)
    if judge.architecture == "causal" and _way(judge, strategy, questions) == "batched":
        yield from _batched(judge, questions, batch_tokens)
    else:
        yield from _one_by_one(judge, questions, strategy)


def _check_room(judge: LoadedJudge, question: Question) -> None:
    limit, tokens = judge.context_tokens, len(question.token_ids)
    name = question.request_ids[0]
    if not tokens:
        raise RetrialError(f"request {name}: its prompt has no tokens")
    room = tokens + (question.drawing.answer_tokens if judge.architecture == "causal" else 0)
    if room > limit:
        raise RetrialError(
            f"request {name}: {tokens} tokens and an answer of {question.drawing.answer_tokens} "
            f"are more than the model's context holds ({limit}); the prompt must be cut first"
        )


def _way(judge: LoadedJudge, strategy: str, questions: Sequence[Question]) -> str:
    """The strategy that is right for this model; `reread` where no cache can be used."""
    if not forward.can_copy_cache(judge.model):
        log.warning("this model's cache can't be copied: its answers are read again at each token")
        return "reread"
    longest = max((len(q.token_ids) + q.drawing.answer_tokens for q in questions), default=0)
    return forward.effective_strategy(judge, judge.strategy(strategy), longest)


def _one_by_one(
    judge: LoadedJudge, questions: Sequence[Question], strategy: str
) -> Iterator[GeneratedAnswer]:
    """Each question alone; what it shares with the one before it is not read again."""
    seq2seq = judge.architecture == "seq2seq"
    way = "decoder" if seq2seq else _way(judge, strategy, questions)
    prefix = forward.SharedPrefix(judge)
    for question in sorted(questions, key=lambda q: (q.token_ids, q.request_ids)):
        copies, prompt = len(question.request_ids), question.token_ids
        if way == "decoder":
            started = start_decoder(judge, prompt, copies)
        elif way == "reread":
            started = start_again(judge, prompt, copies)
        elif way == "shared-prefix":
            started = start_one(judge, prefix, prompt, copies)
        else:
            started = start_one(judge, forward.SharedPrefix(judge), prompt, copies)
        yield from _grow(started, _answers(judge, question), question.drawing)


def _batched(
    judge: LoadedJudge, questions: Sequence[Question], batch_tokens: int
) -> Iterator[GeneratedAnswer]:
    """Batches of one way of drawing and similar length, the longest first.

    A batch that does not fit the GPU's memory is halved, and the budget with it.
    """
    ordered = sorted(questions, key=lambda q: (q.drawing, -len(q.token_ids), q.token_ids))
    for drawing, alike in groupby(ordered, key=lambda q: q.drawing):
        waiting, budget = list(alike), batch_tokens
        while waiting:
            batch = _fill(waiting, budget)
            try:
                answers = list(_ask_batch(judge, batch, drawing))
            except torch.cuda.OutOfMemoryError as error:
                if len(batch) == 1:
                    raise RetrialError(
                        f"the GPU has no room for {len(batch[0].request_ids)} answers to a prompt "
                        f"of {len(batch[0].token_ids)} tokens: use a larger GPU, fewer samples, or "
                        "a 16-bit dtype for this judge"
                    ) from error
                budget = sum(map(_size, batch)) // 2
                torch.cuda.empty_cache()
                log.warning("out of GPU memory: going on with batches of %d tokens", budget)
                continue
            yield from answers
            waiting = waiting[len(batch) :]


def _fill(waiting: Sequence[Question], budget: int) -> list[Question]:
    """As many questions as fit the budget, at least one; all padded to the first's length."""
    longest, rows = len(waiting[0].token_ids) + waiting[0].drawing.answer_tokens, 0
    for number, question in enumerate(waiting):
        rows += len(question.request_ids)
        if number and rows * longest > budget:
            return list(waiting[:number])
    return list(waiting)


def _size(question: Question) -> int:
    tokens = len(question.token_ids) + question.drawing.answer_tokens
    return len(question.request_ids) * tokens


def _ask_batch(
    judge: LoadedJudge, batch: Sequence[Question], drawing: Drawing
) -> Iterator[GeneratedAnswer]:
    prompts = [question.token_ids for question in batch]
    started = start_batch(judge, prompts, [len(q.request_ids) for q in batch])
    answers = [answer for question in batch for answer in _answers(judge, question)]
    yield from _grow(started, answers, drawing)


def _answers(judge: LoadedJudge, question: Question) -> list[GrowingAnswer]:
    drawing = question.drawing
    ends = end_tokens(judge.model, judge.tokenizer)
    ending = Ending(ends, drawing.stop, drawing.answer_tokens)
    context = question.token_ids if judge.architecture == "causal" else ()
    return [
        GrowingAnswer(request_id, judge.tokenizer, context, ending)
        for request_id in question.request_ids
    ]


def _grow(
    started: Started, answers: list[GrowingAnswer], drawing: Drawing
) -> Iterator[GeneratedAnswer]:
    """Token by token; an answer that is done leaves the batch."""
    rows, logits = started
    while True:
        uniforms = [answer.uniform() for answer in answers]
        tokens = draw_tokens(logits, uniforms, drawing.temperature, drawing.top_p)
        for answer, token in zip(answers, tokens, strict=True):
            answer.add(token)
        going = [i for i, answer in enumerate(answers) if not answer.finish_reason]
        yield from (answer.done() for answer in answers if answer.finish_reason)
        if not going:
            return
        if len(going) < len(answers):
            rows.keep(going)
            answers = [answers[i] for i in going]
        logits = rows.step([tokens[i] for i in going])
