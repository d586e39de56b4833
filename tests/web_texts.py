"""The texts of the web application: those of its shared rooms, and those of each feature."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import ROOT

WEB = ROOT / "web" / "src"
LANGUAGES = ("en", "de", "fr", "es")
SHARED = WEB / "i18n" / "texts.json"
# Shown by the console as well.
WITH_CONSOLE = ROOT / "skywatch" / "console" / "texts" / "shared.json"


def text_files() -> list[Path]:
    """Each file with texts."""
    return [WITH_CONSOLE, SHARED, *sorted(WEB.glob("features/*/texts.json"))]


def texts_of(path: Path) -> dict[str, list[str]]:
    """Key -> the text in each language."""
    found: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def all_texts() -> dict[str, list[str]]:
    """Key -> the text in each language, of all files."""
    return {key: forms for path in text_files() for key, forms in texts_of(path).items()}
