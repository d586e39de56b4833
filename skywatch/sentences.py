"""Sentences for people: a code and parameters, from which each language words its own text.

``sentence("accounts.too_many_keys", "There are {most} live keys already; delete one first.", most=50)`` is that English
text, so that it is logged, stored and sent like any other string. The applications word other languages from its code
and parameters; the translations stand in ``skywatch/console/texts/sentences.json``.

A document with such a text in the member ``detail`` has ``detail_code`` and ``detail_params`` beside it (``worded``).
A parameter that is a sentence itself is an object ``{text, code, params}`` there.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

# ``{name}``, or ``{name:format}`` of Python for a number.
PLACEHOLDER = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class Sentence(str):
    """The English text of a sentence, with its code and its parameters."""

    code: str
    params: dict[str, Any]

    def __new__(cls, text: str, code: str, params: Mapping[str, Any]) -> Sentence:
        self = super().__new__(cls, text)
        self.code = code
        self.params = dict(params)
        return self

    def __str__(self) -> str:
        """Return the sentence itself: ``str(error)`` of an exception with a sentence keeps its code."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence, (self.text, self.code, self.params)

    @property
    def text(self) -> str:
        """The text as a plain string, for encoders that take nothing else."""
        return str.__str__(self)


def sentence(code: str, english: str, /, **params: Any) -> Sentence:
    """Return an English text with parameters in the place of ``{name}``.

    A text with ``|`` has a form for one and a form for many, chosen by the parameter ``n``. Parameters are texts,
    sentences, numbers and booleans; of anything else the text is taken.
    """
    values = {name: value if isinstance(value, str | int | float) else str(value) for name, value in params.items()}
    if "|" in english and "n" in values:
        singular, _, plural = english.partition("|")
        english = singular if values["n"] == 1 else plural
    return Sentence(PLACEHOLDER.sub(lambda found: format(values[found[1]], found[2] or ""), english), code, values)


def worded(member: str, text: str) -> dict[str, Any]:
    """Return a text as a member of a document, with the members of its code and its parameters where it has them."""
    if not isinstance(text, Sentence):
        return {member: text}
    return {member: text.text, f"{member}_code": text.code, f"{member}_params": encodable(text.params)}


def encodable(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON takes them."""
    return {
        name: {"text": value.text, "code": value.code, "params": encodable(value.params)}
        if isinstance(value, Sentence)
        else value
        for name, value in params.items()
    }


def codes_of(**texts: str) -> dict[str, Any]:
    """Return the codes and the parameters of texts as they are stored beside them: the members but the texts.

    With a checksum of each text: a release without codes changes a text and leaves the words of the one before.
    """
    stored: dict[str, Any] = {}
    for member, text in texts.items():
        stored |= {name: value for name, value in worded(member, text).items() if name != member}
        if stored.get(f"{member}_code"):
            stored[f"{member}_sum"] = zlib.crc32(text.encode())
    return stored


def code_members(stored: Mapping[str, Any] | None, member: str, text: str | None = None) -> dict[str, Any]:
    """Return the members of the code and the parameters of a stored text; None each where it has none.

    With the ``text`` as it is now, they are those of this text.
    """
    stored = stored or {}
    if text is not None and stored.get(f"{member}_sum") != zlib.crc32(text.encode()):
        stored = {}
    return {name: stored.get(name) for name in (f"{member}_code", f"{member}_params")}


def sentence_of(stored: Mapping[str, Any] | None, member: str, text: str | None = None) -> dict[str, Any]:
    """Return the code and the parameters of a stored text, as ``reworded`` takes them."""
    members = code_members(stored, member, text)
    return {"code": members[f"{member}_code"], "params": members[f"{member}_params"]}


def reworded(text: str, code: str | None, params: Mapping[str, Any] | None) -> str:
    """Return the sentence of a document again; the plain text where it has no code."""
    return Sentence(text, code, decoded(params or {})) if code else text


def decoded(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a document with their sentences."""
    return {
        name: Sentence(value["text"], value["code"], decoded(value["params"])) if isinstance(value, Mapping) else value
        for name, value in params.items()
    }


def joined(texts: Sequence[str], separator: str = "; ") -> str:
    """Return several texts as one, which is a sentence where they are."""
    if len(texts) < 2:
        return texts[0] if texts else ""
    # By halves: hundreds of texts are nested a few deep.
    middle = len(texts) // 2
    first, rest = joined(texts[:middle], separator), joined(texts[middle:], separator)
    return sentence("list.joined", "{first}{separator}{rest}", first=first, separator=separator, rest=rest)
