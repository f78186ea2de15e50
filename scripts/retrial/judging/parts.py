"""A structured prompt in its template's words, in the pieces that it may be cut at."""

from collections.abc import Mapping, Sequence
from typing import Any

from retrial.judging.context import ExamplePart, PromptParts
from retrial.judging.templates import Template, fill


def parts_of(prompt: Mapping[str, Any], template: Template) -> PromptParts:
    """The parts of a row of the prompts contract.

    Examples stand worst first, so that the most similar one is nearest to the item; cuts take
    the worst first. With shared examples the order is the same for every item.
    """
    examples = [
        ExamplePart(
            turns=_turns(example["turns"], template),
            head=template.example.head,
            tail=fill(template.example.tail, label=example["label"]),
            rank=rank,
        )
        for rank, example in enumerate(prompt["examples"])
    ]
    turns = (
        prompt["turns"]
        if prompt["turns"] is not None
        else [{"speaker": "", "text": prompt["text"]}]
    )
    shown = {name: prompt[name] or "" for name in ("context", "text", "text_b")}
    return PromptParts(
        instruction=template.instruction,
        examples=tuple(reversed(examples)),
        item_head=fill(template.item.head, **shown),
        item_turns=_turns(turns, template),
        item_tail=fill(template.item.tail, **shown),
        cue=template.cue,
    )


def _turns(turns: Sequence[Mapping[str, str]], template: Template) -> tuple[str, ...]:
    return tuple(fill(template.turn, speaker=t["speaker"], text=t["text"]) for t in turns)
