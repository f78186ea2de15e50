"""Infers which released story each recorded answer is about (chiang2023, section 3.3.1).

The answer files carry no story ids and are in another order than the released stories. But the
answers speak of the story: their words overlap with its prompt and text. So

1. the similarity of all answers about a recorded story with prompt and text of every released
   story of the same writer is the evidence (`story_evidence`);
2. the writers answered the same prompts, in the same order: the stories of one prompt form a
   group, and positions are assigned to groups one to one by the evidence of all writers together;
3. within a group, positions are assigned to stories one to one, for each writer on its own.

The result is an inference. What rests on it has to be marked as inferred.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from retrial.links.story_evidence import DECIMALS, TFIDF, FloatArray, Side, compare, texts_by_item
from retrial.record import LINKS, from_rows

IntArray = NDArray[np.int64]
Group = Mapping[str, IntArray]
"""Places of the stories of one prompt, by writer; equally many for each."""


def recover_order(
    recorded: pa.Table,
    prompts: pa.Table,
    answers: pa.Table,
    released: pa.Table,
    settings: Mapping[str, Any] = TFIDF,
) -> pa.Table:
    """One link per recorded item, in the links contract, by writer and position.

    `recorded` holds the items of one recording family (strata `writer` and `position`);
    `prompts` and `answers` hold what was recorded about them, all files together; `released`
    holds the stories with their prompts (stratum `writer`). `settings` go to TfidfVectorizer.

    `score` is the similarity of the match, averaged over the writers' evidence for its prompt,
    less the story's average over all positions (some stories resemble every answer). `margin`
    is its lead over the next best story of the same writer: not positive where the one-to-one
    assignment overruled the best single match. `certainty`: `tied` when several stories of the
    writer share the prompt, so that only their own text tells them apart; else `weak` when the
    margin is not positive; else `clear`.

    Candidates stand in the order of their ids, which decides among equal evidence. Raises
    RetrialError as `compare` does.
    """
    sides = compare(recorded, texts_by_item(prompts, answers), released, settings)
    groups = _groups(sides)
    members = _assign_groups(sides, groups)
    return from_rows(
        [row for writer in sides for row in _links(writer, sides, groups, members)], LINKS
    )


def _groups(sides: Mapping[str, Side]) -> list[Group]:
    """Stories by prompt, in the order of the prompts.

    A prompt that the writers don't hold equally often was damaged in the source; the stories of
    all such prompts are pooled into one last group.
    """
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: {w: [] for w in sides})
    for writer, side in sides.items():
        for place, prompt in enumerate(side.prompts):
            places[prompt][writer].append(place)
    whole = [p for p in sorted(places) if len({len(x) for x in places[p].values()}) == 1]
    lost = sorted(set(places) - set(whole))
    grouped = [places[prompt] for prompt in whole]
    if lost:
        grouped.append({w: sorted(x for p in lost for x in places[p][w]) for w in sides})
    return [{w: np.array(x, dtype=np.int64) for w, x in group.items()} for group in grouped]


def _assign_groups(sides: Mapping[str, Side], groups: Sequence[Group]) -> IntArray:
    """The group of every position, shape (positions,): the assignment of most evidence."""
    best = [
        np.mean([_best(sides[w], places) for w, places in group.items()], axis=0)
        for group in groups
    ]
    sizes = [len(next(iter(group.values()))) for group in groups]
    slots = np.repeat(np.arange(len(groups)), sizes)
    evidence = np.round(np.column_stack(best), DECIMALS)[:, slots]
    return np.asarray(slots[_most_similar(evidence)], dtype=np.int64)


def _best(side: Side, places: IntArray) -> FloatArray:
    """The similarity of each position with the likeliest of some stories, shape (positions,)."""
    return np.asarray(side.similarity[:, places].max(axis=1))


def _most_similar(similarity: FloatArray) -> IntArray:
    """The column of every row in the one-to-one assignment of greatest total similarity."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(similarity, maximize=True)[1], dtype=np.int64)


def _evidence(writer: str, sides: Mapping[str, Side], groups: Sequence[Group]) -> FloatArray:
    """Centred evidence of all writers for each story of one, shape (positions, stories)."""
    evidence = np.empty_like(sides[writer].similarity)
    for group in groups:
        own = sides[writer].similarity[:, group[writer]]
        others = [_best(sides[w], places)[:, None] for w, places in group.items() if w != writer]
        evidence[:, group[writer]] = sum(others, own) / len(group)
    return np.asarray(np.round(evidence - evidence.mean(axis=0), DECIMALS))


def _links(
    writer: str, sides: Mapping[str, Side], groups: Sequence[Group], members: IntArray
) -> list[dict[str, Any]]:
    side, evidence = sides[writer], _evidence(writer, sides, groups)
    rows: list[dict[str, Any]] = [{}] * len(members)
    for index, group in enumerate(groups):
        positions, candidates = np.flatnonzero(members == index), group[writer]
        chosen = candidates[_most_similar(side.similarity[np.ix_(positions, candidates)])]
        for position, place in zip(positions, chosen, strict=True):
            score = float(evidence[position, place])
            margin = _margin(evidence[position], int(place))
            rows[position] = {
                "recorded_item_id": side.recorded[position],
                "item_id": side.released[place],
                "score": score,
                "margin": margin,
                "certainty": _certainty(margin, len(candidates)),
            }
    return rows


def _margin(evidence: FloatArray, place: int) -> float:
    """The lead of one story over the best other one; its own evidence when it is alone."""
    others = np.delete(evidence, place)
    lead = evidence[place] - others.max() if others.size else evidence[place]
    return round(float(lead), DECIMALS)


def _certainty(margin: float, candidates: int) -> str:
    if candidates > 1:
        return "tied"
    return "clear" if margin > 0 else "weak"
