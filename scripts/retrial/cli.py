"""The command `retrial`: checks and tools beside the workflow. Heavy imports wait for their use."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from retrial.errors import RetrialError

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
FAILED = 1

T = TypeVar("T")


@app.callback()
def main() -> None:
    """Two studies of language models as judges of text, on the record."""


@app.command()
def verify(
    root: Annotated[Path, typer.Argument(help="a results folder, such as results/demo")],
    quick: Annotated[bool, typer.Option(help="digests only")] = True,
) -> None:
    """Check every digest that the sidecars of a results folder record; name broken links."""
    from retrial.audit.verify import verify_digests

    links = _told(lambda: list(verify_digests(root)))
    broken = [link for link in links if link.state != "RECORDED"]
    for link in broken:
        typer.echo(f"{link.state}  {link.file}: {link.what}: {link.detail}")
    typer.echo(f"{len(links)} links, {len(broken)} broken")
    if broken:
        raise typer.Exit(FAILED)


@app.command()
def parse(
    parser: Annotated[str, typer.Option(help="robust or chiang2023")] = "robust",
    json: Annotated[bool, typer.Option("--json", help="one JSON object a line")] = False,
) -> None:
    """Read ratings from the answers on standard input, one a line."""
    from retrial.scoring.parse_stream import parse_lines
    from retrial.scoring.parsers import get

    reading = _told(lambda: get(parser))
    try:
        for line in parse_lines(sys.stdin, reading, json_lines=json):
            typer.echo(line)
    except RetrialError as error:
        _fail(error)


@app.command("check-table")
def check_table(
    file: Annotated[Path, typer.Argument(help="a CSV in the layout of data/published")],
) -> None:
    """Check a printed table by arithmetic: can its numbers stand beside each other?"""
    from retrial.consistency.check import check_table as check

    findings = _told(lambda: check(file))
    for finding in findings:
        where = ", ".join((*finding.rows, *finding.columns))
        typer.echo(f"{finding.verdict}  {finding.check}  {where}: {finding.detail}")
    impossible = [f for f in findings if f.verdict in ("impossible", "contradicted")]
    typer.echo(f"{len(findings)} findings, {len(impossible)} impossible or contradicted")
    if impossible:
        raise typer.Exit(FAILED)


def _told(work: Callable[[], T]) -> T:
    """The result of `work`, or its error told in one line."""
    try:
        return work()
    except RetrialError as error:
        _fail(error)


def _fail(error: RetrialError) -> NoReturn:
    typer.echo(f"retrial: {error}", err=True)
    raise typer.Exit(FAILED)


if __name__ == "__main__":
    app()
