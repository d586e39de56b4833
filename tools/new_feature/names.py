"""The name of a new feature: what it may be, and the forms of it that the templates use."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import keyword
import re
import sys
from collections.abc import Iterator
from pathlib import Path

RULE = re.compile(r"(?=.{2,31}\Z)[a-z][a-z0-9]*(_[a-z0-9]+)*")
# The name is a variable of ``web/src/features.ts`` too.
JAVASCRIPT = (
    "arguments", "catch", "const", "debugger", "default", "delete", "do", "enum", "export", "extends",
    "function", "implements", "instanceof", "interface", "let", "new", "null", "package", "private",
    "protected", "public", "static", "switch", "this", "throw", "typeof", "undefined", "var", "void",
)  # fmt: skip


class Refusal(Exception):
    """Why nothing was done; ``str()`` is one line for the person."""


def check_form(name: str) -> None:
    """Raise Refusal unless the name can be one of a feature."""
    if not RULE.fullmatch(name):
        raise Refusal(
            f"{name!r} is no name of a feature: 2 to 31 lower-case letters and digits, "
            "a letter first, single underscores between"
        )
    for words, what in (
        (keyword.kwlist + keyword.softkwlist, "a keyword of Python"),
        (JAVASCRIPT, "a reserved word of JavaScript"),
        (dir(builtins), "a built-in of Python"),
        (sys.stdlib_module_names, "a module of Python's standard library"),
    ):
        if name in words:
            raise Refusal(f"{name} is {what}: choose another name")


def check_free(name: str, root: Path) -> None:
    """Raise Refusal where the checkout uses the name already."""
    for what, names in _taken(root):
        if name in names:
            raise Refusal(f"{name} is {what} already: choose another name")


def words(name: str) -> dict[str, str]:
    """The forms of a name by their placeholders."""
    parts = name.split("_")
    return {
        "name": name,
        "NAME": name.upper(),
        "Name": "".join(part.capitalize() for part in parts),
        "variable": parts[0] + "".join(part.capitalize() for part in parts[1:]),
        "dashed": "-".join(parts),
        "title": " ".join(parts).capitalize(),
    }


def _taken(root: Path) -> Iterator[tuple[str, set[str]]]:
    """What the names of the house mean, and these names."""
    rooms = {path.stem for path in (root / "skywatch").iterdir() if path.suffix in ("", ".py")}
    yield "a room of skywatch", rooms
    yield "a room of the web application", {path.stem for path in (root / "web" / "src").iterdir()}
    yield "a feature of the web application", {path.name for path in (root / "web" / "src" / "features").iterdir()}
    yield "a variable of skywatch/features.py", _variables(root / "skywatch" / "features.py")
    features = importlib.import_module("skywatch.features").FEATURES
    hooks = importlib.import_module("skywatch.core.hooks")
    yield (
        "a feature, a topic, a tag or a list of addresses",
        {
            *(feature.name for feature in features),
            *features.topics,
            *features.tags,
            *(family.name for family in features.provided(hooks.InputFamily)),
            *(addresses.name for addresses in features.provided(hooks.AddressList)),
        },
    )
    yield "a feature with permissions", set(importlib.import_module("skywatch.security.permissions").FEATURES)
    detail = importlib.import_module("skywatch.aircraft.schemas").AircraftDetail()
    members = {member.name for member in features.provided(hooks.AircraftMember)}
    yield "a member of an aircraft", {*members, *(child.name for child in detail.children)}
    shared = [root / "web/src/i18n/texts.json", root / "skywatch/console/texts/shared.json"]
    files = [*shared, *(root / "web" / "src" / "features").glob("*/texts.json")]
    keys = {key for path in files for key in json.loads(path.read_text(encoding="utf-8"))}
    yield "the beginning of a text's key in the web application", {key.partition(".")[0] for key in keys if "." in key}
    yield "the name of a page of the web application", {key.partition(".")[2] for key in keys if key.startswith("nav.")}


def _variables(path: Path) -> set[str]:
    """The names that a module binds."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = {alias.asname or alias.name for node in tree if isinstance(node, ast.ImportFrom) for alias in node.names}
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return found | {node.id.lower() for node in tree if isinstance(node, ast.Name)}
