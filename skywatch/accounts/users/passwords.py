"""Passwords: how they are stored (Argon2id), and which are refused as too easy.

Hashing is bounded (``hashing``): a burst of logins takes neither all memory nor all workers.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from importlib.resources import files

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from skywatch.accounts.users.hashing import hashing

MINIMUM_LENGTH = 10
MAXIMUM_LENGTH = 256
MINIMUM_DISTINCT = 5
# OWASP's minimum for Argon2id (19 MiB, two passes, one lane): receivers often run on single-board computers.
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# The hash of random bytes by ``HASHER``, verified where there is no such account: the answer takes as long as for one
# that is there. Written out, since hashing at every start would take as long as a login.
DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$yxee1SYtmWrEn3DZTZ8gtQ$SbB495QFCtfN7P7oHpS1pi+STmaQ8WR+IvmN5ryosj4"

# What people choose, without the digits and signs they put around it. From the published lists of the most used
# passwords (SecLists, NCSC) and the words of this service.
COMMON_WORDS = frozenset(files("skywatch.accounts.users").joinpath("common_words.csv").read_text("ascii").split()[1:])
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
SHORTEST_NAME = 4
TOO_LIKE = 0.8


def normalise(password: str) -> str:
    """The form that is hashed: the same keys on another keyboard or system give the same password (RFC 8265)."""
    return unicodedata.normalize("NFC", password)


def hash_password(password: str) -> str:
    """The Argon2id hash; raises Problem (503) where too many are being computed."""
    with hashing.turn():
        return HASHER.hash(normalise(password))


def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether the password is the right one; takes the same time where there is no hash. Raises Problem (503)."""
    with hashing.turn():
        try:
            HASHER.verify(password_hash or DUMMY_HASH, normalise(password))
        except (Argon2Error, InvalidHashError):
            return False
    return bool(password_hash)


def needs_rehash(password_hash: str) -> bool:
    """Whether the hash was made with weaker parameters than today's."""
    return HASHER.check_needs_rehash(password_hash)


def check_password(password: str, names: tuple[str, ...] = ()) -> None:
    """Raise ValueError, with a reason for people, where a password is too easy; ``names`` are its owner's."""
    if len(password) < MINIMUM_LENGTH:
        raise ValueError(f"must have at least {MINIMUM_LENGTH} characters")
    if len(password) > MAXIMUM_LENGTH:
        raise ValueError(f"must have at most {MAXIMUM_LENGTH} characters")
    if is_common(password):
        raise ValueError("is too common")
    if any(is_like(password, name) for name in names):
        raise ValueError("is too much like the name or e-mail address")


def is_common(password: str) -> bool:
    """Whether it is among the first that anybody would try: few characters, runs of keys, well-known words."""
    folded = unicodedata.normalize("NFKC", password).casefold()
    if len(set(folded)) < MINIMUM_DISTINCT or _is_repeated(folded):
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
        if len(part) < SHORTEST_NAME:
            continue
        if part in folded or part[::-1] in folded:
            return True
        if difflib.SequenceMatcher(None, part, folded[:MAXIMUM_LENGTH]).ratio() > TOO_LIKE:
            return True
    return False


def _is_repeated(text: str) -> bool:
    """Whether the text is one short piece repeated, as in ``abcabcabcabc``."""
    return len(text) > 1 and text in (text + text)[1:-1] and (text + text).find(text, 1) < MINIMUM_LENGTH
