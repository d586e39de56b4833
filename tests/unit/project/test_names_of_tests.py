"""Names of tests can be read at a glance."""

import ast

from tests.conftest import ROOT

MAX_LENGTH = 80


def test_names_of_tests_are_at_most_80_characters():
    names = {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
    assert len(names) > 1000
    assert sorted(name for name in names if len(name) > MAX_LENGTH) == []
