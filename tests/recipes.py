"""The recipes of docs/recipes.md: what stands in its blocks, and an archive to run them over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "recipes.md"
_PART = re.compile(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Recipe:
    """One block: below which heading it stands, its language and its text."""

    section: str
    language: str
    text: str


def recipes(section: str) -> list[Recipe]:
    """The blocks below a heading, in order."""
    found, current = [], ""
    for match in _PART.finditer(PAGE.read_text(encoding="utf-8")):
        heading, language, text = match.groups()
        if heading:
            current = heading
        elif current == section:
            found.append(Recipe(current, language, text))
    return found
