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
    root: Annotated[Path, typer.Argument(help="a results folder, or a bundle of one")],
    quick: Annotated[bool, typer.Option("--quick", help="digests only")] = False,
) -> None:
    """Recompute a results folder from its own records, and name every broken link.

    Digests; ids of items, prompts and requests; ratings from answers; cells from ratings;
    renderings from cells; items from the downloads where these are at hand.
    """
    from retrial.audit.states import summary
    from retrial.exchange.verify import verify_any as check

    links = _told(lambda: list(check(root, quick=quick)))
    broken = [link for link in links if link.broken]
    for link in broken:
        typer.echo(f"{link.state}  {link.file}: {link.what}: {link.detail}")
    typer.echo(summary(links))
    if broken:
        raise typer.Exit(FAILED)


def _complete_cell(ctx: typer.Context, incomplete: str) -> list[str]:
    from retrial.commands.complete import complete_cell

    return complete_cell(ctx, incomplete)


@app.command()
def audit(
    cell: Annotated[
        str, typer.Argument(help="TABLE[ROW].COLUMN, in any case", autocompletion=_complete_cell)
    ] = "",
    root: Annotated[
        Path | None, typer.Option(help="a results folder; results, or the one that has the table")
    ] = None,
    value: Annotated[str, typer.Option(help="find the cells that print this value")] = "",
    sample: Annotated[int, typer.Option(help="show so many ratings, drawn with a seed")] = 1,
    item: Annotated[str, typer.Option(help="show the ratings of this item")] = "",
    worst: Annotated[int, typer.Option(help="show the ratings that move the number most")] = 0,
    excluded: Annotated[bool, typer.Option("--excluded", help="show those left out")] = False,
    json: Annotated[bool, typer.Option("--json", help="one JSON object")] = False,
    diff: Annotated[
        Path | None, typer.Option(help="another results folder: what differs behind the cell")
    ] = None,
) -> None:
    """The chain behind one number, each link verified or named as broken.

    With --diff, what differs between two runs of the number; the exit status is 1 when anything
    does.
    """
    from retrial.audit.rows import Choice
    from retrial.commands.audit import tell_chain, tell_difference, tell_values

    if value:
        _told(lambda: tell_values(root, value, typer.echo))
        return
    if diff is not None:
        other = diff
        failed = _told(lambda: tell_difference(root, other, cell, json, typer.echo))
    else:
        chosen = bool(item or worst or excluded)
        choice = Choice(0 if chosen else sample, item or None, worst, excluded)
        failed = _told(lambda: tell_chain(root, cell, choice, json, typer.echo))
    if failed:
        raise typer.Exit(FAILED)


@app.command()
def plan(
    tables: Annotated[list[str] | None, typer.Argument(help="default: all that are made")] = None,
    profile: Annotated[Path | None, typer.Option(help="such as profiles/laptop")] = None,
    configfile: Annotated[list[Path] | None, typer.Option(help="laid over it; repeatable")] = None,
    json: Annotated[bool, typer.Option("--json", help="one JSON object")] = False,
) -> None:
    """Prompts, tokens, downloads, memory and hours of each judge, before anything runs."""
    from retrial.commands.plan import plan_lines

    asked = (profile, configfile or [], tables or [], json)
    typer.echo("\n".join(_told(lambda: list(plan_lines(*asked)))))


@app.command()
def manifest(root: Annotated[Path, typer.Argument(help="a results folder")]) -> None:
    """The root digest of a results folder, and every file that is not as its manifest lists it.

    The workflow writes MANIFEST.json last: `snakemake ... manifest`.
    """
    from retrial.commands.manifest import manifest_lines

    lines, broken = _told(lambda: manifest_lines(root))
    typer.echo("\n".join(lines))
    if broken:
        raise typer.Exit(FAILED)


@app.command()
def crate(root: Annotated[Path, typer.Argument(help="a results folder")]) -> None:
    """Describe a results folder as an RO-Crate: ro-crate-metadata.json, beside the results."""
    from retrial.exchange.crate import write_crate

    typer.echo(_told(lambda: write_crate(root)))


@app.command()
def bundle(
    root: Annotated[Path, typer.Argument(help="a results folder")],
    output: Annotated[Path | None, typer.Option(help="default: ROOT.zip")] = None,
    withhold_texts: Annotated[
        bool, typer.Option("--withhold-texts", help="of sources that may not be passed on")
    ] = False,
) -> None:
    """Pack a results folder into one archive that `retrial verify` checks anywhere."""
    from retrial.exchange.bundle import explain, make_bundle

    packed = _told(lambda: make_bundle(root, output, withhold_texts=withhold_texts))
    typer.echo("\n".join(explain(packed)))


@app.command("ingest-ratings")
def ingest_ratings(
    exports: Annotated[list[Path], typer.Argument(help="exports of rating forms")],
    dataset: Annotated[str, typer.Option(help="id of the dataset that was rated")],
    root: Annotated[Path, typer.Option(help="a results folder with its items")] = Path("results"),
    prompts: Annotated[Path, typer.Option(help="prompt templates")] = Path("data/prompts"),
) -> None:
    """Check exports of rating forms, and print the lines that make them human ratings."""
    from retrial.commands.ingest import ingest_lines

    for line in _told(lambda: list(ingest_lines(exports, dataset, root, prompts))):
        typer.echo(line)


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
