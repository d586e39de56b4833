"""The files that belong to a new feature alone: written from the templates, and deleted again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from string import Template

from tools.new_feature.names import Refusal

TEMPLATES = Path(__file__).parent / "templates"
VERSIONS = Path("alembic/versions")
# What a feature may have besides the smallest slice, with the words that ``--help`` says of each.
PARTS = {
    "topic": "events on a topic of the real-time channel",
    "member": "a member of the answers about an aircraft",
    "setting": "a setting",
    "manual": "a page of the manual and a line of the changelog",
}


class FeatureTemplate(Template):
    """A template whose placeholders are ``@@name`` or ``@@{name}``: Python, TypeScript and CSS have no ``@@``."""

    delimiter = "@@"


def revisions(root: Path) -> tuple[str, str]:
    """The numbers of the next migration and of the newest one."""
    newest = max(path.name[:4] for path in (root / VERSIONS).glob("[0-9][0-9][0-9][0-9]_*.py"))
    return f"{int(newest) + 1:04}", newest


def contents(words: Mapping[str, str], parts: Collection[str]) -> dict[Path, str]:
    """Return the text of every file of a feature with these ``parts``, by its place in the checkout."""
    texts = {}
    for template in sorted(TEMPLATES.rglob("*.tmpl")):
        place = str(template.relative_to(TEMPLATES)).removesuffix(".tmpl")
        place = place.replace("FEATURE", words["name"]).replace("REVISION", words["revision"])
        text = "".join(_of_parts(template.read_text(encoding="utf-8"), parts))
        if text:
            texts[Path(place)] = FeatureTemplate(text).substitute(words)
    return texts


def _of_parts(text: str, parts: Collection[str]) -> Iterator[str]:
    """Yield the lines that stand for these parts: ``@@if PART``, ``@@else`` and ``@@end`` lead to them, also nested."""
    is_wanted = [True]
    for line in text.splitlines(keepends=True):
        word, _, part = line.strip().partition(" ")
        if word == "@@if":
            is_wanted.append(part in parts)
        elif word == "@@else":
            is_wanted[-1] = not is_wanted[-1]
        elif word == "@@end":
            is_wanted.pop()
        elif all(is_wanted):
            yield line


def write(root: Path, texts: Mapping[Path, str]) -> None:
    """Write the files; raises Refusal before the first one where one of them is there."""
    for place in texts:
        if (root / place).exists():
            raise Refusal(f"{place} exists already: choose another name")
    for place, text in texts.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text, encoding="utf-8")


def folders(name: str) -> list[Path]:
    """The folders that are the feature's alone."""
    return [Path("skywatch", name), Path("web/src/features", name)]


def migration(root: Path, name: str) -> Path:
    """The feature's migration; raises Refusal where there is none, or another migration follows it."""
    found = [path for path in (root / VERSIONS).glob("*.py") if re.fullmatch(rf"\d{{4}}_{name}\.py", path.name)]
    if len(found) != 1:
        raise Refusal(f"{name} was not written by new-feature: {VERSIONS} has no migration of it")
    number = found[0].name[:4]
    for path in sorted((root / VERSIONS).glob("*.py")):
        if re.search(rf'^down_revision = "{number}"$', path.read_text(encoding="utf-8"), re.MULTILINE):
            raise Refusal(f"{path.relative_to(root)} follows the migration of {name}: remove that one first")
    return found[0].relative_to(root)


def places(root: Path, words: Mapping[str, str]) -> list[Path]:
    """What is to be deleted to remove the feature: its folders, and its files elsewhere."""
    revision = migration(root, words["name"]).name[:4]
    own = folders(words["name"])
    texts = contents({**words, "revision": revision, "down_revision": ""}, PARTS)
    return [*own, *(place for place in texts if not any(place.is_relative_to(folder) for folder in own))]


def delete(root: Path, paths: list[Path]) -> None:
    """Delete files and folders; what is not there any more is no fault."""
    for path in paths:
        if (root / path).is_dir():
            shutil.rmtree(root / path)
        else:
            (root / path).unlink(missing_ok=True)
