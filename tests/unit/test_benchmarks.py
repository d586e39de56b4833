"""Benchmarks rot unseen: each has a short form, which runs here and by `make bench-short`."""

import ast
import shutil
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks._short import NEED_POSTGRESQL, SHORT, run
from tests.servers import POSTGRESQL_URL, require, skip_or_fail

FOLDER = Path(benchmarks.__file__).parent
BUILT = FOLDER.parent / "skywatch" / "web" / "built" / "index.html"


def test_every_benchmark_has_a_short_form():
    assert sorted(SHORT) == sorted(benchmarks.names())


@pytest.mark.parametrize("path", sorted({path for constants, _ in SHORT.values() for path in constants}))
def test_what_a_short_form_sets_is_there(path):
    module, _, constant = path.partition(".")
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    names |= {
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert constant in names


@pytest.mark.parametrize("name", benchmarks.names())
def test_short_form_runs(name):
    if name in NEED_POSTGRESQL:
        require(POSTGRESQL_URL, "PostgreSQL")
    if name == "web" and not all((shutil.which("chromium"), shutil.which("chromedriver"), BUILT.exists())):
        skip_or_fail("there is no chromium with its driver here, or the web application is not built")
    outcome = run(name)
    assert outcome.is_complete, outcome.output
