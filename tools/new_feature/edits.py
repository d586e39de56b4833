"""The lines of a feature in the lists of the house: each is inserted before a place, and found again by its text."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.new_feature.files import PARTS
from tools.new_feature.names import Refusal

LINE_LENGTH = 120


@dataclass(frozen=True)
class Edit:
    """A text that is inserted into a file before the first match of a pattern, or at its end where that is empty."""

    file: str
    text: str
    before: str

    def inserted(self, content: str) -> str:
        """The content with the text; raises Refusal where the place is not there."""
        place = re.search(self.before, content, re.MULTILINE) if self.before else None
        if self.before and place is None:
            raise Refusal(f"{self.file} has no place for the feature any more: mend tools/new_feature/edits.py")
        at = len(content) if place is None else place.start()
        return content[:at] + self.text + content[at:]

    def removed(self, content: str) -> str:
        """The content without the text; raises Refusal where it is not there exactly once."""
        if content.count(self.text) != 1:
            first = self.text.strip().partition("\n")[0]
            raise Refusal(f"{self.file} has not the line that new-feature wrote ({first}): remove the feature by hand")
        return content.replace(self.text, "")


def edits(words: Mapping[str, str], root: Path, parts: Collection[str]) -> list[Edit]:
    """Return the edits for a feature of these words with these parts."""
    name = words["name"]
    some = [
        Edit("skywatch/features.py", f"from skywatch.{name} import feature as {name}\n", _import_after(name, root)),
        Edit("skywatch/features.py", f"        {name}.FEATURE,\n", r"^        history\.FEATURE,$"),
        Edit("skywatch/security/permissions.py", _permissions(words), r"^    USERS_CREATE = "),
        Edit("pyproject.toml", f"(skywatch.{name}) | ", r'\(skywatch\.accounts\)",$'),
        *_browser(words),
        Edit("docs/reference/examples.md", _example(words), ""),
    ]
    if "topic" in parts:
        topic = f"| `{name}` | `{name}.view` | `{name}:note`, `{name}:note_deleted` |\n"
        some.append(Edit("docs/realtime.md", topic, r"^\| `system` \| "))
    if "manual" in parts:
        some.append(Edit("mkdocs.yml", f"    - {words['title']}: {name}.md\n", r"^    - Notifications: "))
    return some


def written(words: Mapping[str, str], root: Path) -> list[Edit]:
    """Return the edits that ``edits`` made for a feature: all of the smallest slice, and those of its parts."""
    smallest = edits(words, root, ())
    more = [edit for edit in edits(words, root, PARTS) if edit not in smallest]
    there = [edit for edit in more if edit.text in (root / edit.file).read_text(encoding="utf-8")]
    return [*smallest, *there]


def apply(root: Path, some: Sequence[Edit], *, undo: bool = False) -> None:
    """Insert or remove all texts; raises Refusal before anything is written where one of them cannot be."""
    changed: dict[str, str] = {}
    for edit in some:
        content = changed.get(edit.file)
        if content is None:
            content = (root / edit.file).read_text(encoding="utf-8")
        changed[edit.file] = edit.removed(content) if undo else edit.inserted(content)
    for file, content in changed.items():
        (root / file).write_text(content, encoding="utf-8")


def _browser(words: Mapping[str, str]) -> list[Edit]:
    name, variable = words["name"], words["variable"]
    imported = f'import {{ {variable} }} from "./features/{name}/feature";\n'
    return [
        Edit("web/src/features.ts", imported, r"^import \{ accounts \} "),
        Edit("web/src/features.ts", f"  {variable},\n", r"^  accounts,$"),
    ]


def _example(words: Mapping[str, str]) -> str:
    """Return the section of the manual's examples, as `make examples` writes it from the feature's `SLICE`."""
    name = words["name"]
    return (
        f"\n## {name}\n\nNotes on aircraft.\n\n**Send the sample**\n\n```console\n"
        f'$ curl -H "Authorization: Bearer $TOKEN" --json \'{{"icao_hex": "4B1620", "text": "Seen often"}}\' '
        f"https://sky.example.org/api/v1/{name}/notes\n```\n\n`201 application/json`\n\n```json\n{{\n"
        '  "id": 1,\n  "icao_hex": "4B1620",\n  "text": "Seen often",\n  "author": "ada",\n'
        '  "written_at": "2026-01-31T12:00:00.000Z"\n}\n```\n'
    )


def _permissions(words: Mapping[str, str]) -> str:
    name, constant = words["name"], words["NAME"]
    return _row(f"{constant}_EDIT", f"{name}.edit", "write", "operator", "Write and delete notes on aircraft") + _row(
        f"{constant}_VIEW", f"{name}.view", "view", "viewer", "See notes on aircraft"
    )


def _row(constant: str, *values: str) -> str:
    """An assignment of the class as the formatter leaves it: on one line where that is short enough."""
    quoted = [f'"{value}"' for value in values]
    line = f"    {constant} = {', '.join(quoted)}\n"
    if len(line) <= LINE_LENGTH + 1:
        return line
    return f"    {constant} = (\n" + "".join(f"        {value},\n" for value in quoted) + "    )\n"


def _import_after(name: str, root: Path) -> str:
    """A pattern of the import that follows that of the feature in alphabetical order."""
    content = (root / "skywatch/features.py").read_text(encoding="utf-8")
    modules = re.findall(r"^from (skywatch\.[\w.]+) import ", content, re.MULTILINE)
    following = next((module for module in modules if module > f"skywatch.{name}"), None)
    return rf"^from {re.escape(following)} import " if following else r"(?<=\n)\nFEATURES = "
