"""Which passwords are refused as too easy."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from importlib.resources import files

from skywatch.sentences import sentence

MAX_LENGTH = 256
MIN_DISTINCT = 5
# What repeats in a password that is nothing but repetition is shorter than this.
MAX_REPETITION = 10

# What people choose, without the digits and signs they put around it. From the published lists of the most used
# passwords (SecLists, NCSC) and the words of this service.
COMMON_WORDS = frozenset(
    files("skywatch.accounts.passwords").joinpath("common_words.csv").read_text("ascii").split()[1:]
)
SEQUENCES = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6z7u8i9o0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
)
LEET = str.maketrans("01345789@$!", "oleastbgasi")
# A name shorter than this may well stand inside a good password.
MIN_NAME = 4
TOO_LIKE = 0.8


@dataclass
class Rules:
    """What of the rules is set by the installation: one for the process (``password_min_length``)."""

    minimum_length: int = 8


rules = Rules()


def check_password(password: str, names: tuple[str, ...] = ()) -> None:
    """Raise ValueError, with a reason for people, where a password is too easy; ``names`` are its owner's."""
    if len(password) < rules.minimum_length:
        raise ValueError(sentence("field.short", "must have at least {n} characters", n=rules.minimum_length))
    if len(password) > MAX_LENGTH:
        raise ValueError(sentence("field.long", "must have at most {n} characters", n=MAX_LENGTH))
    if is_common(password):
        raise ValueError(sentence("field.common", "is too common"))
    if any(is_like(password, name) for name in names):
        raise ValueError(sentence("field.alike", "is too much like the name or e-mail address"))


def is_common(password: str) -> bool:
    """Whether it is among the first that anybody would try: few characters, runs of keys, well-known words."""
    folded = unicodedata.normalize("NFKC", password).casefold()
    if len(set(folded)) < MIN_DISTINCT or _is_repeated(folded):
        return True
    for sequence in SEQUENCES:
        if folded in sequence * 2 or folded in sequence[::-1] * 2:
            return True
    plain = re.sub(r"[^a-z]", "", folded.translate(LEET))
    stripped = folded.strip("0123456789!?.,;:-_#*+$@&%()= ")
    core = re.sub(r"[^a-z]", "", stripped.translate(LEET))
    return core in COMMON_WORDS or plain in COMMON_WORDS or re.sub(r"[^a-z]", "", folded) in COMMON_WORDS


def is_like(password: str, name: str) -> bool:
    """Whether the password contains a name, or is little else than it."""
    folded = unicodedata.normalize("NFKC", password).casefold()
    for part in {name.casefold(), name.casefold().partition("@")[0]}:
        if len(part) < MIN_NAME:
            continue
        if part in folded or part[::-1] in folded:
            return True
        if difflib.SequenceMatcher(None, part, folded[:MAX_LENGTH]).ratio() > TOO_LIKE:
            return True
    return False


def _is_repeated(text: str) -> bool:
    """Whether the text is one short piece repeated, as in ``abcabcabcabc``."""
    return len(text) > 1 and text in (text + text)[1:-1] and (text + text).find(text, 1) < MAX_REPETITION
