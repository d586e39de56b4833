"""``RELEASES``: version, commit and schema revision of each release, one a line, oldest first.

The commit is the one that was released. The commit after it, which adds the line, carries the tag ``v<version>``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FILE = "RELEASES"
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
COMMIT = re.compile(r"[0-9a-f]{40}")


class ReleaseError(Exception):
    """What keeps this tree from being released; ``str()`` is for people."""


@dataclass(frozen=True)
class Release:
    """A line of ``RELEASES``."""

    version: str
    commit: str
    revision: str

    @property
    def tag(self) -> str:
        return tag_of(self.version)

    def __str__(self) -> str:
        return f"{self.version} {self.commit} {self.revision}"


def tag_of(version: str) -> str:
    """The tag of a version."""
    return f"v{version}"


def numbers(version: str) -> tuple[int, int, int]:
    """``0.2.0`` -> ``(0, 2, 0)``; raises ReleaseError where it is not three numbers."""
    matched = VERSION.fullmatch(version)
    if matched is None:
        raise ReleaseError(f"the version {version!r} is not three numbers, such as 0.2.0")
    major, minor, patch = matched.groups()
    return int(major), int(minor), int(patch)


def parse(text: str) -> list[Release]:
    """The releases of the text of ``RELEASES``; raises ReleaseError with the number of a wrong line."""
    releases: list[Release] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 3 or not COMMIT.fullmatch(words[1]):
            raise ReleaseError(
                f"{FILE}, line {number}: expected a version, a commit of 40 digits and a schema revision"
            )
        if releases and numbers(words[0]) <= numbers(releases[-1].version):
            raise ReleaseError(f"{FILE}, line {number}: {words[0]} does not come after {releases[-1].version}")
        numbers(words[0])
        releases.append(Release(*words))
    return releases


def read(root: Path) -> list[Release]:
    """The releases of a checkout."""
    return parse((root / FILE).read_text(encoding="utf-8"))


def version_of(root: Path) -> str:
    """The version that ``setup.py`` names; raises ReleaseError where it names none."""
    for node in ast.walk(ast.parse((root / "setup.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "version" and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    raise ReleaseError("setup.py names no version")
