"""What the commands share: signals that interrupt them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skywatch.core.terminal.command import SIGNALS

# What `python -m skywatch` does where a signal comes while a dataclass is being imported.
INTERRUPTED_IN_TEXT = """
import os, signal, sys
from skywatch.core.terminal.command import interrupt
signal.signal({number}, interrupt)
try:
    exec("import os; os.kill(os.getpid(), {number})\\nfor _ in range(1000): pass")
except KeyboardInterrupt:
    sys.exit(0)
"""


@pytest.mark.deep("starts an interpreter")
@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_command_ends_with_its_own_exit_code(tmp_path: Path, number: int) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IN_TEXT.format(number=int(number)))
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    assert subprocess.run([sys.executable, "-m", "interrupted"], env=environment, check=False).returncode == 0
