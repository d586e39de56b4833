"""Which characters a name may have: those that are seen as themselves, in any script."""

from __future__ import annotations

import unicodedata

import idna

# Letters and signs by their category, yet nothing is seen of them.
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Zero width non-joiner and joiner: Persian, Hindi and others are misspelt without them; elsewhere they only hide.
JOINERS = frozenset("\u200c\u200d")
# Emoji of several characters (UTS 51): pictures and the signs of sequences, joined or with a colour of skin.
ZERO_WIDTH_JOINER, EMOJI_STYLE, SKINS = "\u200d", "\ufe0f", frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_SIGNS = frozenset("\u2194\u2195")
# The flag of a region is a black flag, tags that spell the region, and the end of tags.
BLACK_FLAG, TAGS, END_OF_TAGS = "\U0001f3f4", frozenset(map(chr, range(0xE0030, 0xE007F))), "\U000e007f"


def is_shown(character: str) -> bool:
    """Whether a character is seen as itself: no control, no change of direction, nothing without width."""
    return character.isprintable() and character not in BLANK


def all_shown(text: str) -> bool:
    """Whether all of a text is seen."""
    return only_shown(text) == text


def only_shown(text: str) -> str:
    """What is seen of a text.

    Joiners stay where the letters around need them (RFC 5892, appendix A.1 and A.2) or where they make one emoji of
    several, and so do the tags of a flag.
    """
    shown = []
    tags_until = 0
    for index, character in enumerate(text):
        if character == BLACK_FLAG:
            tags_until = _end_of_tags(text, index + 1)
        if character in JOINERS:
            is_kept = _joins_emoji(text, index) or idna.valid_contextj(text, index)
        else:
            is_kept = is_shown(character) or index < tags_until
        if is_kept:
            shown.append(character)
    return "".join(shown)


def _end_of_tags(text: str, begin: int) -> int:
    """Where the tags that begin at an index end; ``begin`` where there are none, or no end."""
    end = begin
    while text[end : end + 1] in TAGS:
        end += 1
    return end + 1 if end > begin and text[end : end + 1] == END_OF_TAGS else begin


def _joins_emoji(text: str, index: int) -> bool:
    """Whether a zero width joiner stands between two pictures."""
    before = text[:index].removesuffix(EMOJI_STYLE)
    if before[-1:] in SKINS:
        before = before[:-1]
    return text[index] == ZERO_WIDTH_JOINER and _is_picture(before[-1:]) and _is_picture(text[index + 1 : index + 2])


def _is_picture(character: str) -> bool:
    return bool(character) and (unicodedata.category(character) == "So" or character in _SIGNS)
