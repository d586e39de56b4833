"""Usernames, display names and e-mail addresses: what is allowed, and the form in which two of them are the same.

Usernames are limited to ASCII letters, digits, dot, underscore and dash, after NFKC normalisation: no two of them
can look alike by mixing scripts, and full-width letters come out as the letters they look like.
"""

from __future__ import annotations

import re
import unicodedata

from skywatch.core.text.names import all_shown
from skywatch.sentences import sentence

USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}[A-Za-z0-9_]")
EMAIL_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
EMAIL_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
MAX_EMAIL_LOCAL = 64
MAX_EMAIL = 254


def clean_username(text: str) -> str:
    """A username as it is shown; raises ValueError where it is not allowed."""
    name = unicodedata.normalize("NFKC", text)
    if not USERNAME.fullmatch(name):
        raise ValueError(
            sentence(
                "accounts.name_rule",
                "must have 2 to 64 letters (a to z), digits, dots, underscores or dashes, begin with "
                "a letter or digit and not end with a dot or dash",
            )
        )
    return name


def username_key(text: str) -> str:
    """The form in which usernames are compared; any text has one."""
    return unicodedata.normalize("NFKC", text).casefold()


def clean_display_name(text: str) -> str:
    """A name as people see it, in any script; raises ValueError where parts of it are not seen."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise ValueError(sentence("field.blank", "must not be blank"))
    if not all_shown(name):
        raise ValueError(
            sentence(
                "accounts.name_invisible",
                "must not hold characters that cannot be seen or that turn the direction of writing",
            )
        )
    return name


def clean_email(text: str) -> str:
    """An e-mail address as it is shown; raises ValueError where it is not one."""
    address = unicodedata.normalize("NFKC", text).strip()
    local, _, domain = address.partition("@")
    well_formed = (
        len(address) <= MAX_EMAIL
        and len(local) <= MAX_EMAIL_LOCAL
        and EMAIL_LOCAL.fullmatch(local)
        and all(EMAIL_LABEL.fullmatch(label) for label in domain.split("."))
    )
    if not well_formed:
        raise ValueError(sentence("accounts.email_rule", "must be an e-mail address such as name@example.org"))
    return address


def email_key(text: str) -> str:
    """The form in which e-mail addresses are compared; any text has one."""
    return unicodedata.normalize("NFKC", text).strip().casefold()
