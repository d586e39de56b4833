"""A column of texts as codes of a vocabulary, so that a test evaluates each distinct text once.

Most texts do not change between ticks: only the rows that changed are looked up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]
Slots = npt.NDArray[np.intp]
# A vocabulary larger than SPARE + SLACK times the number of slots is rebuilt.
SLACK, SPARE = 4, 20_000
# Columns of these widths (bytes) are compared as one integer per text.
_INTEGER_TYPES = {8: "u8", 4: "u4", 2: "u2"}


class TextColumn:
    """The texts of one column by slot; the code 0 is the empty text, which is an unknown value."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self.codes: Codes = np.zeros(0, np.intp)
        self.changed: Slots = np.zeros(0, np.intp)
        """Slots whose text differs from the last tick."""
        self.generation = 0
        """Increases when the vocabulary is rebuilt and every code may mean another text."""
        self._code_of: dict[Any, int] = {b"": 0}
        self._raw: npt.NDArray[Any] = np.zeros(0, "S1")

    def update(self, raw: npt.NDArray[Any]) -> None:
        """Update with the column of a tick: one text (bytes) for each slot, empty where there is no aircraft."""
        if len(raw) != len(self._raw):
            self._resize(raw)
        if len(self.texts) > SPARE + SLACK * len(raw):
            self._renew()
        integer = _INTEGER_TYPES.get(raw.dtype.itemsize)
        now, then = (raw.view(integer), self._raw.view(integer)) if integer else (raw, self._raw)
        self.changed = np.flatnonzero(now != then)
        if len(self.changed):
            self.codes[self.changed] = self._codes(raw[self.changed].tolist())
        self._raw = raw

    def update_rows(self, slots: Slots, texts: list[str], freed: list[int], capacity: int) -> None:
        """Update with the texts of these slots, and clear the freed ones; for texts that are not in a column."""
        if len(self.codes) != capacity:
            self._resize(np.zeros(capacity, "S1"))
        before = self.codes.copy()
        self.codes[freed] = 0
        self.codes[slots] = [self._code(text) for text in texts]
        self.changed = np.flatnonzero(self.codes != before)

    def _code(self, text: str) -> int:
        code = self._code_of.get(text)
        if code is None:
            if not text:
                return 0
            code = self._code_of[text] = len(self.texts)
            self.texts.append(text.strip().upper())
        return code

    def _resize(self, raw: npt.NDArray[Any]) -> None:
        before, codes = self._raw, self.codes
        self._raw, self.codes = np.zeros(len(raw), raw.dtype), np.zeros(len(raw), np.intp)
        size = min(len(before), len(raw))
        self._raw[:size], self.codes[:size] = before[:size], codes[:size]
        self.generation += 1

    def _renew(self) -> None:
        self.texts, self._code_of = [""], {b"": 0}
        self.codes = np.array(self._codes(self._raw.tolist()), np.intp)
        self.generation += 1

    def _codes(self, values: list[bytes]) -> list[int]:
        code_of, texts = self._code_of, self.texts
        codes = []
        for value in values:
            code = code_of.get(value)
            if code is None:
                code = code_of[value] = len(texts)
                texts.append(value.decode("ascii", "replace").strip().upper())
            codes.append(code)
        return codes
