"""A command that kills itself at a point of its work: ``python -m tests.integration.backup.killed POINT ARGUMENTS``.

``bytes:N``: once so many bytes are done. ``replace:N``: instead of renaming a file for the Nth time. ``complete``:
before what ends a restore.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys

from skywatch.backup.contents import passphrase
from skywatch.backup.databases.completion import Completion
from skywatch.backup.progress import Progress
from skywatch.cli import main

advance, replace, count = Progress.advance, os.replace, itertools.count(1)


def end(*_):
    """End as a power cut does."""
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


def kill_at(point):
    """Have this process end at the point."""
    kind, _, number = point.partition(":")
    if kind == "bytes":
        Progress.advance = lambda self, done: (advance(self, done), self.done >= int(number) and end())
    elif kind == "replace":
        os.replace = lambda *names: end() if next(count) == int(number) else replace(*names)
    else:
        Completion.complete = end


# As ``tests.backups.cheap_backups`` has it.
passphrase.COST, passphrase.PASSES = 2**10, 1
kill_at(sys.argv.pop(1))
main()
