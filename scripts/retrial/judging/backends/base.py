"""What every live backend offers to the judging job."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from retrial.judging.templates import Template

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Request:
    """One question as it goes to the model, with the id of everything that is asked.

    `place` sorts requests that share a beginning next to each other. `group` is the same for
    all samples of a prompt, which are asked and stored together; empty where a request stands
    alone. `answered` holds a ready
    answer for what can't be asked at all (a prompt that no cut fits to the context).
    """

    request_id: str
    prompt_id: str
    sample: int
    method: str
    place: tuple[int, ...]
    payload: Any
    about: Mapping[str, Any]
    answered: Mapping[str, Any] | None = None
    group: str = ""


class Backend(Protocol):
    """A way to ask a judge. Rendering needs no model; asking loads it once."""

    engine: str
    independent: bool
    """Whether an answer is the same whatever else is asked in its chunk."""

    def render(
        self, prompts: Sequence[Mapping[str, Any]], templates: Mapping[str, Template]
    ) -> list[Request]:
        """The requests of these prompts, in order, without loading the model.

        One for each sample: several for a prompt whose answers are drawn by chance.
        """
        ...

    def ask(self, chunk: Sequence[Request], advance: Advance) -> Iterator[Mapping[str, Any]]:
        """The answers to a chunk (fields of the answers contract that the model decides)."""
        ...
