"""``decode``: asks the forms of a label in order, then the application that the receiving decoder decoded."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from skywatch.acars.decoding import airline, applications, fmc, link, positions, reports, slashed
from skywatch.acars.decoding.values import Decoded, Form, Message

log = logging.getLogger(__name__)
MAX_CHARACTERS = 16_384

FORMS: dict[str, tuple[Form, ...]] = {}
for _room in (link, positions, slashed, fmc, reports, airline, applications):
    for _label, _forms in _room.FORMS.items():
        FORMS[_label] = (*FORMS.get(_label, ()), *_forms)


def decode(
    label: str,
    text: str,
    sublabel: str = "",
    application: Mapping[str, Any] | None = None,
    faults: list[str] | None = None,
) -> Decoded | None:
    """The content of a message, or None if no form fits.

    ``application`` is what the receiving decoder put next to the text (libacars), if anything. Never raises: a form
    that fails on a text counts as one that does not fit, and its name is added to ``faults``.
    """
    message = Message(label, clean(text), sublabel)
    if application:
        decoded = _attempt("application", lambda _: applications.render(application), message, faults)
        if decoded is not None:
            return decoded
    for form in FORMS.get(label, ()):
        decoded = _attempt(form.__name__, form, message, faults)
        if decoded is not None:
            return decoded
    return None


def clean(text: str) -> str:
    """Plain line ends, no control characters, no trailing white space, bounded."""
    plain = text[:MAX_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n")
    if plain.replace("\n", "").isprintable():
        return plain.rstrip()
    return "".join(c for c in plain if c == "\n" or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)).rstrip()


def _attempt(name: str, form: Form, message: Message, faults: list[str] | None) -> Decoded | None:
    try:
        return form(message)
    except Exception:
        # Texts come from anywhere; a fault of one form must cost neither the message nor the input.
        log.warning("the form %s failed on a text of label %r", name, message.label, exc_info=True)
        if faults is not None:
            faults.append(name)
        return None
