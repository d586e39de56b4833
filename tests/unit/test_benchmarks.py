"""Benchmarks rot unseen: each has a short form, which `make bench-short` runs, and what it sets is there."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks._short import SHORT

FOLDER = Path(benchmarks.__file__).parent


def test_every_benchmark_has_a_short_form():
    assert sorted(SHORT) == sorted(benchmarks.names())


@pytest.mark.parametrize("path", sorted({path for constants, _ in SHORT.values() for path in constants}))
def test_what_a_short_form_sets_is_there(path):
    module, _, constant = path.partition(".")
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert constant in names


def test_short_forms_run():
    """Those that take a second; all of them take a minute."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--short", "alerts", "safety", "columns"],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
