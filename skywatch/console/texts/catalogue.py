"""The catalogue: every text in each language, read once from the files of this folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from skywatch.console.texts.numbers import write_number
from skywatch.sentences import PLACEHOLDER, Sentence

LANGUAGES = ("en", "de", "fr", "es")
NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
FOLDER = files("skywatch.console.texts")
SHARED = FOLDER / "shared.json"
# The sentences of the packages below, by their codes.
SENTENCES = FOLDER / "sentences.json"


class Catalogue:
    """The texts of one language. Texts have placeholders such as ``{name}``.

    A text with ``|`` has a form for one and a form for many, chosen by the value ``n``.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        at = LANGUAGES.index(language)
        rows = list(page_rows())
        shared = json.loads(SHARED.read_text(encoding="utf-8"))
        sentences = json.loads(SENTENCES.read_text(encoding="utf-8"))
        # English sentences have their text in the sources; some fields are worded otherwise for people.
        by_code: dict[str, list[str]] = {**(sentences if at else {}), **shared}
        self._sentences = {code: forms[at] for code, forms in by_code.items()}
        self._texts: dict[str, str] = {forms[0]: forms[at] for forms in [*shared.values(), *rows]} if at else {}
        self._at = at

    def text(self, english: str, **values: Any) -> str:
        """A text of the console, with its values; numbers are written as the language writes them."""
        text = self._texts.get(english, english)
        return self._filled(text, values) if values else text

    def has(self, english: str) -> bool:
        """Whether there is a translation, or none is needed."""
        return not self._at or english in self._texts

    def sentence(self, text: str) -> str:
        """What the service says: a sentence by its code, a word by its English; as it is where neither is here."""
        if isinstance(text, Sentence):
            form = self._sentences.get(text.code)
            return text.text if form is None else self._filled(form, text.params)
        return self._texts.get(text, text)

    def number(self, value: float, digits: int = 0) -> str:
        """A number with the signs of the language, rounded to ``digits`` decimals."""
        return write_number(value, digits, self.language)

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        if "|" in text and "n" in values:
            singular, _, plural = text.partition("|")
            text = singular if _is_one(values["n"], self.language) else plural
        return PLACEHOLDER.sub(lambda found: self._written(found, values), text)

    def _written(self, found: re.Match[str], values: dict[str, Any]) -> str:
        """The value of a placeholder as the language writes it."""
        if found[1] not in values:
            return found[0]
        value = values[found[1]]
        if isinstance(value, Sentence):
            return self.sentence(value)
        if type(value) in (int, float) and (found[2] or type(value) is int):
            decimals = re.search(r"\.(\d)f", found[2] or "")
            return write_number(value, int(decimals[1]) if decimals else 0, self.language)
        return str(value)


@cache
def catalogues() -> dict[str, Catalogue]:
    """Language -> its catalogue; read once."""
    return {language: Catalogue(language) for language in LANGUAGES}


def page_rows() -> Iterator[list[str]]:
    """Each text of the console in all languages."""
    for path in page_files():
        yield from _rows_of(path)


def page_files() -> list[Any]:
    """The files of the pages, which are lists; those by key are not."""
    named = [path for path in FOLDER.iterdir() if path.name.endswith(".json")]
    return sorted((path for path in named if path.name not in (SHARED.name, SENTENCES.name)), key=lambda p: p.name)


def _rows_of(path: Any) -> list[list[str]]:
    rows: list[list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _is_one(value: Any, language: str) -> bool:
    """Whether a number takes the form for one (CLDR plural rules)."""
    number = float(value)
    return 0 <= number < 2 if language == "fr" else number == 1
