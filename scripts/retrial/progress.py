"""Progress of long work: a bar on a terminal, plain lines in a log."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LINE_EVERY_SECONDS = 15.0

log = logging.getLogger("retrial")


@contextmanager
def progress(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Yields a function that is told how many units were just finished."""
    if sys.stderr.isatty():
        yield from _bar(label, total)
    else:
        yield from _lines(label, total, unit)


def _bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)


def _lines(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    began = last = time.monotonic()
    done = 0

    def advance(count: int) -> None:
        nonlocal done, last
        done += count
        if time.monotonic() - last >= LINE_EVERY_SECONDS or done == total:
            last = time.monotonic()
            rate = done / max(last - began, 1e-9)
            left = (total - done) / rate if rate else 0.0
            log.info("%s: %d of %d %s, %.2f/s, %.0f s left", label, done, total, unit, rate, left)

    yield advance
