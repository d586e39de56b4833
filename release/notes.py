"""The changelog and the release notes, from ``CHANGELOG.md`` and the fragments in ``changelog.d``.

A fragment is a file ``changelog.d/<anything>.md`` with list items, so that two branches do not change the same lines.
"""

from __future__ import annotations

import re
from pathlib import Path

from release.record import ReleaseError

CHANGELOG, FRAGMENTS, UNRELEASED = "CHANGELOG.md", "changelog.d", "## Unreleased"
SECTION = re.compile(r"^## ", re.M)
ITEM = re.compile(r"^\* ", re.M)


def fragments(root: Path) -> list[Path]:
    """The fragments of a checkout, by name; raises ReleaseError where one is not a list."""
    paths = sorted(path for path in (root / FRAGMENTS).glob("*.md") if path.name != "README.md")
    for path in paths:
        if not path.read_text(encoding="utf-8").startswith("* "):
            raise ReleaseError(f"{FRAGMENTS}/{path.name}: a fragment is a list, and its first line begins with `* `")
    return paths


def section(text: str, heading: str) -> str | None:
    """The text below the heading that begins with ``heading``, up to the next one of its level; None without it."""
    matched = re.search(rf"^{re.escape(heading)}\b.*\n", text, re.M)
    if matched is None:
        return None
    rest = text[matched.end() :]
    following = SECTION.search(rest)
    return rest[: following.start() if following else None].strip()


def notes(root: Path) -> str:
    """What is new since the last release: the fragments, then what the changelog lists as unreleased."""
    listed = section((root / CHANGELOG).read_text(encoding="utf-8"), UNRELEASED)
    if listed is None:
        raise ReleaseError(f"{CHANGELOG} has no section `{UNRELEASED}`")
    new = "\n".join(path.read_text(encoding="utf-8").strip() for path in fragments(root))
    if not new and not ITEM.search(listed):
        raise ReleaseError(f"nothing is new: {CHANGELOG} lists nothing as unreleased, and {FRAGMENTS} has no fragment")
    introduction, items = _split(listed)
    lists = "\n".join(part for part in (new, items) if part)
    return "\n\n".join(part for part in (introduction, lists) if part)


def released(root: Path, version: str) -> str | None:
    """What the changelog says of a released version, or None."""
    return section((root / CHANGELOG).read_text(encoding="utf-8"), f"## {version}")


def record(root: Path, version: str, day: str) -> None:
    """Move what is new below the heading of the version and remove the fragments."""
    path = root / CHANGELOG
    text = path.read_text(encoding="utf-8")
    new = notes(root)
    start = text.index(UNRELEASED)
    following = SECTION.search(text, start + len(UNRELEASED))
    rest = text[following.start() :] if following else ""
    heading = f"{UNRELEASED}\n\n## {version} ({day})\n\n{new}\n"
    path.write_text(text[:start] + heading + (f"\n{rest}" if rest else ""), encoding="utf-8")
    for fragment in fragments(root):
        fragment.unlink()


def _split(text: str) -> tuple[str, str]:
    """The sentences before the list, and the list."""
    item = ITEM.search(text)
    at = item.start() if item else len(text)
    return text[:at].strip(), text[at:].strip()
