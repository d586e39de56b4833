"""Classes, files and folders stay small enough to be read as one piece."""

import ast
from collections import Counter

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "skywatch"
MAX_CLASS, MAX_FILE, MAX_FILES = 250, 400, 12


def sources(folder):
    return sorted(folder.rglob("*.py"))


def long_classes(folder):
    """Classes with more lines than one may have, as ``path: name (lines)``."""
    for path in sources(folder):
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) <= MAX_CLASS:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                lines = node.end_lineno - node.lineno + 1
                if lines > MAX_CLASS:
                    yield f"{path.relative_to(folder)}: {node.name} ({lines})"


def long_files(folder):
    for path in sources(folder):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_FILE:
            yield f"{path.relative_to(folder)} ({lines})"


def full_folders(folder):
    """Folders with more source files on one level than one may have; files of folders below do not count."""
    counts = Counter(path.parent for path in sources(folder))
    return [f"{path.relative_to(folder)} ({count})" for path, count in sorted(counts.items()) if count > MAX_FILES]


RULES = {"class": long_classes, "file": long_files, "folder": full_folders}


@pytest.mark.parametrize("kind", RULES)
def test_no_piece_is_too_long(kind):
    assert list(RULES[kind](PACKAGE)) == []


def test_what_is_too_long_is_noticed(tmp_path):
    (tmp_path / "long.py").write_text("class Long:\n" + "    x = 1\n" * MAX_CLASS + "y = 1\n" * MAX_FILE)
    (tmp_path / "short.py").write_text("class Short:\n" + "    x = 1\n" * (MAX_CLASS - 1))
    (tmp_path / "full").mkdir()
    for number in range(MAX_FILES + 1):
        (tmp_path / "full" / f"part_{number}.py").touch()
    assert list(long_classes(tmp_path)) == ["long.py: Long (251)"]
    assert list(long_files(tmp_path)) == ["long.py (651)"]
    assert full_folders(tmp_path) == ["full (13)"]
