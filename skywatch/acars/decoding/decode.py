"""``decode``: asks the forms of a label in order, then the application that the receiving decoder decoded."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from skywatch.acars.decoding import airline, applications, fmc, link, positions, reports
from skywatch.acars.decoding.values import Decoded, Form, Message

log = logging.getLogger(__name__)
MAXIMUM_CHARACTERS = 16_384

FORMS: dict[str, tuple[Form, ...]] = {}
for _room in (link, positions, fmc, reports, airline, applications):
    for _label, _forms in _room.FORMS.items():
        FORMS[_label] = (*FORMS.get(_label, ()), *_forms)


def decode(label: str, text: str, sublabel: str = "", application: Mapping[str, Any] | None = None) -> Decoded | None:
    """The content of a message, or None if no form fits.

    ``application`` is what the receiving decoder put beside the text (libacars), if anything. Never raises: a form
    that fails on a text counts as one that does not fit.
    """
    message = Message(label, clean(text), sublabel)
    if application:
        decoded = _attempt(lambda _: applications.render(application), message)
        if decoded is not None:
            return decoded
    for form in FORMS.get(label, ()):
        decoded = _attempt(form, message)
        if decoded is not None:
            return decoded
    return None


def clean(text: str) -> str:
    """Plain line ends, no control characters, no trailing white space, bounded."""
    plain = text[:MAXIMUM_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n")
    if plain.replace("\n", "").isprintable():
        return plain.rstrip()
    return "".join(c for c in plain if c == "\n" or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)).rstrip()


def _attempt(form: Form, message: Message) -> Decoded | None:
    try:
        return form(message)
    except Exception:
        # Texts come from anywhere; a fault of one form must cost neither the message nor the input.
        log.debug("a form failed on a text of label %r", message.label, exc_info=True)
        return None
