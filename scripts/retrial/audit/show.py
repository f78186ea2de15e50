"""An audit as text: steps, facts and the state of every link; colour on a terminal only."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from retrial.audit.states import Link, count_states
from retrial.audit.steps import Audit, Marked, Step

STYLES = {"VERIFIED": "green", "RECORDED": "cyan", "INFERRED": "yellow", "ASSERTED": "yellow",
          "MISSING": "bold red", "MISMATCH": "bold red"}  # fmt: skip
INDENT = "    "


def show(audit: Audit, console: Console) -> None:
    """Print the audit."""
    console.print(f"[bold]{escape(audit.cell)}[/bold] in {escape(audit.root)}", soft_wrap=True)
    for number, step in enumerate(audit.steps, start=1):
        _print(step, f"{number}", console)
    for number, row in enumerate(audit.rows, start=1):
        console.print(f"\n[bold]rating {number}[/bold]")
        for step in row:
            _print(step, "-", console)
    counts = ", ".join(f"{n} {state}" for state, n in count_states(audit.links()).items() if n)
    console.print(f"\n{counts}", soft_wrap=True)


def _print(step: Step, number: str, console: Console) -> None:
    console.print(f"{number} [bold]{escape(step.title)}[/bold]", soft_wrap=True)
    for name, value in step.facts.items():
        console.print(_fact(name, value), soft_wrap=True)
    for link in step.links:
        console.print(_state(link), soft_wrap=True)


def _fact(name: str, value: Any) -> Text:
    if isinstance(value, Marked):
        return Text.assemble(f"{INDENT}{name}: ", *_marked(value))
    text = f"{value}".replace("\n", f"\n{INDENT}{INDENT}")
    return Text(f"{INDENT}{name}: {text}")


def _marked(value: Marked) -> Iterator[str | tuple[str, str]]:
    """The text with what was read in brackets, and in another colour on a terminal."""
    if value.start is None or value.end is None:
        yield value.text
        return
    yield value.text[: value.start]
    yield (f"[{value.text[value.start : value.end]}]", "black on yellow")
    yield value.text[value.end :]


def _state(link: Link) -> Text:
    state = link.state if link.checked else f"{link.state}, not checked"
    return Text.assemble(INDENT, (state, STYLES[link.state]), f"  {link.what}: {link.detail}")
