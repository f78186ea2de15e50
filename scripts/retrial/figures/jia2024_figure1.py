"""jia2024 Figure 1: from a prompt to a score, by rating tokens and by a generated answer.

Drawn from the configuration: its conditions, their templates and sampling, and a dialogue.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from retrial.errors import RetrialError
from retrial.figures import Points
from retrial.figures.flow import Box, draw_flows
from retrial.judging.templates import Template, fill, load_template
from retrial.tables.select import Results

LOGITS, GENERATION = "logits", "generation"
TITLES = {LOGITS: "Logits: the rating tokens are read", GENERATION: "Generation: a text is read"}
PROMPT, JUDGE, ANSWER, READER, SCORE = "prompt", "judge", "answer", "reader", "score"
HEADS = {PROMPT: "Prompt", JUDGE: "Judge", ANSWER: "Answer", READER: "Reading", SCORE: "Score"}
SUM = "\N{GREEK CAPITAL LETTER SIGMA}"
CUT = "[\N{HORIZONTAL ELLIPSIS}]"
LINE, HEAD_LINES, TURN_CHARACTERS = 57, 4, 44
SOFT_BREAK = re.compile(r"\n(?=[a-z])")
"""A line end within a sentence of an instruction."""
UNKNOWN_TURNS = [{"speaker": "USER", "text": CUT}, {"speaker": "SYSTEM", "text": CUT}]


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """One point for each box: its panel is the method, its note the text.

    Raises RetrialError when the figure's conditions lack a logits or a generation one.
    """
    turns = _turns(job, results)
    found: Points = []
    for method in (LOGITS, GENERATION):
        chosen = {n: c for n, c in job["conditions"].items() if c["method"] == method}
        if not chosen:
            raise RetrialError(f"figures.{job['figure']}.conditions: list one of method {method}")
        for series, kind, text in _boxes(method, chosen, Path(job["folder"]), turns):
            found.append(_point(job["figure"], method, series, kind, len(found), text))
    return found


def _turns(job: Mapping[str, Any], results: Results) -> list[dict[str, str]]:
    """The turns of the first test dialogue of the figure's first dataset, where it lists one."""
    for dataset in job["spec"].get("datasets", []):
        items = results.items(f"items/{dataset}.parquet", {})
        tested = [item for item in items if item["split"] == "test"] or items
        if tested and tested[0]["turns"]:
            return list(tested[0]["turns"])
    return UNKNOWN_TURNS


def _boxes(
    method: str, conditions: Mapping[str, Mapping[str, Any]], folder: Path,
    turns: Sequence[Mapping[str, str]],
) -> Iterator[tuple[str, str, str]]:  # fmt: skip
    """(condition, kind, text) of every box, top to bottom; only prompts differ by condition."""
    templates = {n: load_template(folder, c["template"]) for n, c in conditions.items()}
    for name, template in templates.items():
        yield conditions[name]["label"], PROMPT, prompt_text(template, turns)
    template = next(iter(templates.values()))
    if method == LOGITS:
        yield "", JUDGE, "one forward pass; nothing is generated"
        shown = "   ".join(f"p({rating})" for rating in template.ratings)
        yield "", ANSWER, f"probabilities where the answer would start:\n{shown}"
        yield (
            "",
            READER,
            f"w(i) = p(i) / {SUM} p(j) of the K likeliest ratings (Eq. 2)",
        )
        yield (
            "",
            SCORE,
            f"r = {SUM} r(i) w(i), the expected rating (Eq. 3)",
        )
        return
    yield "", JUDGE, _sampling(list(conditions.values()))
    cues = dict.fromkeys(_one_line(t.cue) for t in templates.values() if t.cue.strip())
    after = " or ".join(f'"{cue}"' for cue in cues)
    yield "", ANSWER, f"free text after {after}" if after else "free text"
    yield "", READER, "a parser finds the span that states the rating,\nor says why there is none"
    lowest, highest = template.ratings[0], template.ratings[-1]
    yield "", SCORE, f"the rating, {lowest} to {highest}; a mean where answers are several"


def _sampling(conditions: Sequence[Mapping[str, Any]]) -> str:
    """How answers are sampled: one line for all conditions, or one for each way."""
    ways: dict[str, list[str]] = {}
    for condition in conditions:
        sampling = condition["sampling"]
        several = sampling["samples"]
        text = (
            f"temperature {sampling['temperature']:g}, at most {sampling['answer_tokens']} "
            f"tokens, {several} answer{'s' if several > 1 else ''} a prompt"
        )
        ways.setdefault(text, []).append(condition["label"])
    if len(ways) == 1:
        return next(iter(ways))
    return "\n".join(f"{', '.join(labels)}: {text}" for text, labels in ways.items())


def prompt_text(template: Template, turns: Sequence[Mapping[str, str]]) -> str:
    """Beginning and end of a prompt's instruction, two turns of a dialogue, and the cue."""
    instruction = _wrapped(template.instruction)
    if len(instruction) > HEAD_LINES + len(_wrapped(_end(template.instruction))):
        kept = [*instruction[:HEAD_LINES], CUT, *_wrapped(_end(template.instruction))]
    else:
        kept = instruction
    shown = [_turn(template, turn) for turn in turns[:2]]
    rest = [CUT] if len(turns) > 2 else []
    end = [template.item.tail.strip(), template.cue.strip()]
    lines = [*kept, template.item.head.strip(), *shown, *rest, *end]
    return "\n".join(line for line in lines if line)


def _wrapped(text: str) -> list[str]:
    paragraphs = SOFT_BREAK.sub(" ", text.strip()).split("\n")
    return [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, LINE)]


def _end(text: str) -> str:
    """The last lines of an instruction, which say in which order to answer."""
    return "\n".join(SOFT_BREAK.sub(" ", text.strip()).split("\n")[-2:])


def _turn(template: Template, turn: Mapping[str, str]) -> str:
    text = _one_line(turn["text"])
    if len(text) > TURN_CHARACTERS:
        text = text[:TURN_CHARACTERS].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"
    return fill(template.turn, speaker=turn["speaker"], text=text).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _point(
    figure: str, panel: str, series: str, kind: str, order: int, text: str
) -> dict[str, Any]:
    return {
        "figure": figure,
        "panel": panel,
        "series": series,
        "x": kind,
        "order": order,
        "value": None,
        "ci_low": None,
        "ci_high": None,
        "n": 0,
        "note": text,
        "cell": "",
        "inferred": False,
    }


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """Two columns of boxes with arrows from one to the next."""
    flows = {
        TITLES[method]: [
            Box(
                head=" \N{MIDDLE DOT} ".join(x for x in (HEADS[p["x"]], p["series"]) if x),
                text=p["note"],
                written=p["x"] == PROMPT,
            )
            for p in sorted(points, key=lambda p: int(p["order"]))
            if p["panel"] == method
        ]
        for method in (LOGITS, GENERATION)
    }
    return draw_flows(flows, LINE)
