"""The texts that the console's templates and views use, found in their sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jinja2 import Environment, nodes

from tests.conftest import ROOT

CONSOLE = ROOT / "skywatch" / "console"
TEMPLATES = sorted((CONSOLE / "templates").glob("*.jinja2"))
MODULES = sorted(CONSOLE.rglob("*.py"))
FUNCTIONS = ("_", "html")
# Attributes that people read or hear.
SPOKEN = re.compile(r'\b(?:aria-label|placeholder|title|alt|data-head)="([^"{]*)"')
WORD = re.compile(r"[^\W\d_]{2,}")
# Names, which are the same in each language; examples of what is entered.
NAMES = {"Skywatch", "Python", "ACFTREF", "txt", "ini", "login", "user", "changed", "role"}


def texts_of_templates() -> Iterator[tuple[str, set[str] | None]]:
    """English text and the names of the values that are given with it, of every call in a template."""
    environment = Environment(autoescape=True)
    for path in TEMPLATES:
        tree = environment.parse(path.read_text(encoding="utf-8"))
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in FUNCTIONS:
                text = call.args[0]
                if isinstance(text, nodes.Const):
                    yield text.value, {value.key for value in call.kwargs}


def texts_of_modules() -> Iterator[tuple[str, set[str] | None]]:
    """The same of every call of ``translate``, and the titles and groups of pages."""
    for path in MODULES:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if call.func.id == "translate" and isinstance(call.args[1], ast.Constant):
                yield call.args[1].value, {str(value.arg) for value in call.keywords}
            elif call.func.id == "Page":
                for value in call.keywords:
                    if value.arg in ("title", "group") and isinstance(value.value, ast.Constant):
                        yield value.value.value, set()


def untranslated() -> Iterator[str]:
    """What stands in a template outside of any call: ``file: text``."""
    environment = Environment(autoescape=True)
    for path in TEMPLATES:
        tree = environment.parse(path.read_text(encoding="utf-8"))
        # Tags may begin in one piece and end in another: a piece is looked at with its neighbours.
        markup = "".join(
            piece.data if isinstance(piece, nodes.TemplateData) else "\0"
            for output in tree.find_all(nodes.Output)
            for piece in output.nodes
        )
        spoken = [match[1] for match in SPOKEN.finditer(markup)]
        for text in [*re.sub(r"<(?:code)\b[^>]*>[^<]*</code>|<[^>]*>|&\w+;", "\n", markup).split("\n"), *spoken]:
            if set(WORD.findall(text)) - NAMES and "=" not in text:
                yield f"{path.name}: {text.strip()}"
