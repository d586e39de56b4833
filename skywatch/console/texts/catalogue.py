"""The catalogue: every text in each language, read once from the files of this room."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from skywatch.console.texts.numbers import write_number

LANGUAGES = ("en", "de", "fr", "es")
NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
FOLDER = files("skywatch.console.texts")
SHARED = FOLDER / "shared.json"
FIELD_FAULTS = FOLDER / "field_faults.json"
# Sentences of the packages below: they arrive with their values in them, and are recognized by their form.
SENTENCES = FOLDER / "sentences.json"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Catalogue:
    """The texts of one language. Texts have placeholders such as ``{name}``.

    A text with ``|`` has a form for one and a form for many, chosen by the value ``n``.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        at = LANGUAGES.index(language)
        rows = list(rows_of_rooms())
        shared = json.loads(SHARED.read_text(encoding="utf-8"))
        self._shared = {key: forms[at] for key, forms in shared.items()}
        self._texts = {forms[0]: forms[at] for forms in [*shared.values(), *rows]} if at else {}
        self._at = at

    def text(self, english: str, **values: Any) -> str:
        """A text of the console, with its values; numbers are written as the language writes them."""
        text = self._texts.get(english, english)
        return self._filled(text, values) if values else text

    def has(self, english: str) -> bool:
        """Whether there is a translation, or none is needed."""
        return not self._at or english in self._texts

    def sentence(self, english: str) -> str:
        """What the service says in English, also where values stand in it; as it is where its form is not known."""
        return self.known_sentence(english) or english

    def known_sentence(self, english: str) -> str | None:
        """The same, None where its form is not known."""
        if not self._at:
            return english
        text: str | None = self._texts.get(english)
        if text is not None:
            return text
        for form, translation in self._sentences:
            match = form.fullmatch(english)
            if match is not None:
                return self._filled(
                    translation, {name: self.sentence(part) for name, part in match.groupdict().items()}
                )
        return None

    def problem(self, code: str, detail: str) -> str | None:
        """The text that the web application shows for an error, by its code; None where there is none."""
        text = self._shared.get(f"error.{code}")
        return self._filled(text, {"detail": detail}) if text is not None and "{n}" not in text else None

    def field_fault(self, detail: str) -> str:
        """What is wrong with a field, as the web application says it."""
        for key, form in _field_forms():
            match = form.fullmatch(detail)
            if match is not None:
                values: dict[str, Any] = dict(match.groupdict())
                values["n"] = values.get("n") or values.get("m")
                return self._filled(self._shared[key], values)
        return self.sentence(detail)

    def number(self, value: float, digits: int = 0) -> str:
        """A number with the signs of the language, rounded to ``digits`` decimals."""
        return write_number(value, digits, self.language)

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        if "|" in text and "n" in values:
            singular, _, plural = text.partition("|")
            text = singular if _is_one(values["n"], self.language) else plural
        written = {
            name: write_number(value, 0, self.language) if type(value) is int else value
            for name, value in values.items()
        }
        return PLACEHOLDER.sub(lambda placeholder: str(written.get(placeholder[1], placeholder[0])), text)

    @cached_property
    def _sentences(self) -> list[tuple[re.Pattern[str], str]]:
        return [(_form_of(forms[0]), forms[self._at]) for forms in _rows_of(SENTENCES) if PLACEHOLDER.search(forms[0])]


@cache
def catalogues() -> dict[str, Catalogue]:
    """Language -> its catalogue; read once."""
    return {language: Catalogue(language) for language in LANGUAGES}


def rows_of_rooms() -> Iterator[list[str]]:
    """Each text of the console in all languages."""
    for path in room_files():
        yield from _rows_of(path)


def room_files() -> list[Any]:
    """The files of the packages, which are lists; the shared ones are not."""
    named = [path for path in FOLDER.iterdir() if path.name.endswith(".json")]
    return sorted((path for path in named if path.name not in (SHARED.name, FIELD_FAULTS.name)), key=lambda p: p.name)


def _rows_of(path: Any) -> list[list[str]]:
    rows: list[list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


@cache
def _field_forms() -> list[tuple[str, re.Pattern[str]]]:
    forms = json.loads(FIELD_FAULTS.read_text(encoding="utf-8"))
    # The file has the named groups of JavaScript.
    return [(key, re.compile(form.replace("(?<", "(?P<"))) for key, form in forms.items()]


def _form_of(english: str) -> re.Pattern[str]:
    """What recognizes a sentence by its form; a value is never empty."""
    parts = PLACEHOLDER.split(english)
    return re.compile(
        "".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)), re.DOTALL
    )


def _is_one(value: Any, language: str) -> bool:
    """Whether a number takes the form for one (CLDR plural rules)."""
    number = float(value)
    return 0 <= number < 2 if language == "fr" else number == 1
