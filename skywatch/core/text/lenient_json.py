"""Reads what can be read of damaged JSON: objects and lists with members that are broken, missing or cut off.

The strict decoders come first; this one is for what they refuse. A value that is whole is read by the library at once,
and only the object or list around a fault is walked through. What is dropped is the broken member and, where that is
not clear, the next one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

# Objects within objects; deeper ones are dropped.
DEEPEST = 32
# What the search for the end of broken members may cost: steps for each character, and for a text in all. A fault costs
# a few; text that is made so that every fault is searched to its end costs their product.
STEPS_EACH, MIN_STEPS = 2, 10_000
_decoder = json.JSONDecoder(strict=False, parse_constant=str)
_BLANK = " \t\r\n\0"
_SPACE = re.compile(r"[\s\0]*")
# A key and its colon; a comma before it may be missing.
_KEY = re.compile(r'[\s\0]*(?:,[\s\0]*)?"([^"\\]{0,256})"[\s\0]*:[\s\0]*')
_NEXT_KEY = re.compile(r',[\s\0]*"[^"\\,:]{1,64}"[\s\0]*:')
# The end of a broken member: strings hold no structure.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\],]|[^"{}\[\],]+', re.DOTALL)
# The beginning of a record: what opens behind another record or at the beginning of the list, not behind a colon.
_RECORD = {"{": re.compile(r'(?:\A|[^:\s\0])[\s\0]*(\{)[\s\0]*"'), "[": re.compile(r"(?:\A|[\],\[])[\s\0]*(\[)(?!\[)")}


class _Broken(Exception):
    """There is no value at a place."""


def read_object(text: str) -> dict[str, Any]:
    """The members of the first object of a text, as far as they can be read; empty where there is none."""
    start = text.find("{")
    return {} if start < 0 else _Walk(text).object(start, 0)[0]


def records(text: str, opening: str = "{") -> Iterator[Any]:
    """The objects (or, opening with ``[``, the lists) of a damaged list, those between which it is damaged too.

    What opens within a string or a list of a record is taken for a record of its own.
    """
    walk = _Walk(text)
    starts = [match.start(1) for match in _RECORD[opening].finditer(text)]
    for number, start in enumerate(starts, 1):
        part = text[start : starts[number] if number < len(starts) else len(text)]
        try:
            value, _ = _decoder.raw_decode(part)
        except (ValueError, RecursionError):
            if not walk.may_go_on(1):
                return
            walk.text = part
            value = walk.object(0, 0)[0] if opening == "{" else walk.list(0, 0)[0]
        yield value


class _Walk:
    """Reads the members of one text after the other, within a bound for all of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._steps = MIN_STEPS + STEPS_EACH * len(text)

    def may_go_on(self, steps: int) -> bool:
        """Whether there are steps left; takes some."""
        self._steps -= steps
        return self._steps > 0

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        """The members of the object that opens at a place, and where it ends."""
        text, members, is_over = self.text, dict[str, Any](), False
        at += 1
        while at < len(text) and not is_over and self.may_go_on(1):
            key = _KEY.match(text, at)
            if key is None:
                is_over, at = self._next_member(at)
                continue
            try:
                value, end = self._value(key.end(), depth)
            except _Broken:
                is_over, at = self._next_member(key.end())
                continue
            is_followed = _KEY.match(text, end) is not None
            is_over, at = (False, end) if is_followed else self._next_member(end)
            if is_followed or not text[end:at].strip(_BLANK + ",}"):
                members[key[1]] = value
        return members, at

    def list(self, at: int, depth: int) -> tuple[list[Any], int]:
        """The items of the list that opens at a place, and where it ends; a broken one is None, so that others keep
        their places."""
        text, items, is_over = self.text, list[Any](), False
        at += 1
        while at < len(text) and not is_over and self.may_go_on(1):
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] in ("]", "}"):
                return items, at + 1
            try:
                value, end = self._value(at, depth)
            except _Broken:
                value, end = None, at
            is_over, at = self._skip(end)
            items.append(value if not text[end:at].strip(_BLANK + ",]") else None)
        return items, at

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        """The value at a place and where it ends; raises _Broken."""
        try:
            return _decoder.raw_decode(self.text, at)
        except (ValueError, RecursionError):
            pass
        if depth >= DEEPEST or self.text[at : at + 1] not in ("{", "["):
            raise _Broken
        return self.object(at, depth + 1) if self.text[at] == "{" else self.list(at, depth + 1)

    def _next_member(self, at: int) -> tuple[bool, int]:
        """``_skip``, but no further than the next key: where a quotation mark is missing, strings are not what they
        seem."""
        is_over, end = self._skip(at)
        key = _NEXT_KEY.search(self.text, at, end)
        return (is_over, end) if key is None else (False, key.start())

    def _skip(self, at: int) -> tuple[bool, int]:
        """Whether the object or list ends behind the member at a place, and the place behind its comma or bracket."""
        depth = 0
        for token in _TOKEN.finditer(self.text, at):
            if not self.may_go_on(1):
                break
            mark = token[0]
            if mark in "{[":
                depth += 1
            elif mark in "}]":
                depth -= 1
                if depth < 0:
                    return True, token.end()
            elif mark == "," and depth == 0:
                return False, token.end()
        return True, len(self.text)
