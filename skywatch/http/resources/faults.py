"""The faults that a schema finds, each as a sentence; colander's own messages have codes here."""

from __future__ import annotations

from typing import Any

import colander
from translationstring import TranslationString

from skywatch.sentences import Sentence, joined

# colander's message -> the code of the sentence, and its parameters by colander's names.
_OF_COLANDER: dict[str, tuple[str, dict[str, str]]] = {
    "Required": ("field.required", {}),
    "Shorter than minimum length ${min}": ("field.short", {"min": "n"}),
    "Longer than maximum length ${max}": ("field.long", {"max": "n"}),
    "${val} is less than minimum value ${min}": ("field.least", {"val": "value", "min": "least"}),
    "${val} is greater than maximum value ${max}": ("field.most", {"val": "value", "max": "most"}),
    '"${val}" is not one of ${choices}': ("field.choice", {"val": "value", "choices": "choices"}),
}


def faults_of(error: colander.Invalid) -> dict[str, str]:
    """Return the faults of a schema by the path of their node (``body.entries.2``)."""
    messages = error.asdict(translate=_as_sentence, separator=None)
    return {name: joined(texts) for name, texts in messages.items()}


def _as_sentence(message: Any) -> str:
    if not isinstance(message, TranslationString):
        return str(message)
    text: str = message.interpolate()
    if str(message) not in _OF_COLANDER:
        return text
    code, names = _OF_COLANDER[str(message)]
    values = {names[name]: value for name, value in (message.mapping or {}).items() if name in names}
    return Sentence(text, code, {name: value if name == "n" else str(value) for name, value in values.items()})
