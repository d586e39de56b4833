"""The words that Python code names: for tests of what a room may know of others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def names_in_code(path: Path) -> frozenset[str]:
    """Strings that are not docstrings, and the names of what is defined, imported, read or passed.

    A file is read once: each word is looked up in all of them.
    """
    return frozenset(_names(path))


def _names(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.alias):
            yield f"{node.name} {node.asname or ''}"
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg or ""


def naming(word: str, names: Iterable[str]) -> list[str]:
    """Those of the names that have the word as a whole, or as a part between ``_``, ``.``, ``:`` or ``/``."""
    pattern = re.compile(rf"(?<![a-z]){word}(?![a-z])", re.IGNORECASE)
    return sorted({name for name in names if pattern.search(name)})


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *DEFINITIONS)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value
