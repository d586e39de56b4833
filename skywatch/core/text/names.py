"""Which characters a name may have: those that are seen as themselves, in any script."""

from __future__ import annotations

import idna

# Letters and signs by their category, yet nothing is seen of them.
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Zero width non-joiner and joiner: Persian, Hindi and others are misspelt without them; elsewhere they only hide.
JOINERS = frozenset("\u200c\u200d")


def is_shown(character: str) -> bool:
    """Whether a character is seen as itself: no control, no change of direction, nothing without width."""
    return character.isprintable() and character not in BLANK


def all_shown(text: str) -> bool:
    """Whether all of a text is seen."""
    return only_shown(text) == text


def only_shown(text: str) -> str:
    """What is seen of a text; joiners stay where the letters around need them (RFC 5892, appendix A.1 and A.2)."""
    return "".join(
        character
        for index, character in enumerate(text)
        if (idna.valid_contextj(text, index) if character in JOINERS else is_shown(character))
    )
