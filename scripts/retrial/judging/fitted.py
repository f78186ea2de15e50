"""What an answer's row says of how its prompt was fitted to the context."""

from typing import Any

from retrial.judging.context import Fitted, TooLong


def cuts(fitted: Fitted | TooLong, tokens: int) -> dict[str, int]:
    """Tokens of the prompt, and what was cut, in the answers contract's terms."""
    if isinstance(fitted, TooLong):
        return {"prompt_tokens": tokens, "examples_kept": 0, "turns_dropped": 0,
                "item_turns_dropped": 0}  # fmt: skip
    return {
        "prompt_tokens": tokens,
        "examples_kept": fitted.examples_kept,
        "turns_dropped": fitted.turns_dropped,
        "item_turns_dropped": fitted.item_turns_dropped,
    }


def too_long_answer() -> dict[str, Any]:
    """The answer to a prompt that no cut fits: it is never asked."""
    return {
        "text": None,
        "rating_logprobs": None,
        "finish_reason": "too_long",
        "answer_tokens": 0,
        "device": "",
    }
