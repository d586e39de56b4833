"""A progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click

# Without a terminal a line is written for every so many percent.
PLAIN_STEP_PERCENT = 20


def progress_of_file(path: Path, what: str) -> AbstractContextManager[Callable[[int], None]]:
    """A function to call with the number of bytes of the file that have been read."""
    return progress_of(path.stat().st_size if path.is_file() else 1, what)


@contextmanager
def progress_of(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how much has been done, in the unit of ``total``."""
    size = max(1, total)
    if sys.stderr.isatty():
        with click.progressbar(length=size, label=what, file=sys.stderr) as bar:
            yield lambda position: bar.update(max(0, position - bar.pos))
        return
    shown = 0

    def plain(position: int) -> None:
        nonlocal shown
        percent = 100 * position // size
        if percent >= shown + PLAIN_STEP_PERCENT:
            shown = percent - percent % PLAIN_STEP_PERCENT
            click.echo(f"{what}: {shown} %", err=True)

    yield plain
