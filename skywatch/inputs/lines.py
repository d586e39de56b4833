"""``LineSplitter``: lines out of bytes that come in any pieces, with a bound for what never ends."""

from __future__ import annotations

from collections import Counter


class LineSplitter:
    """Keeps the unfinished line; one longer than ``longest`` bytes is dropped whole and counted as ``too_long``."""

    def __init__(self, longest: int, invalid: Counter[str]) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._skipping = False
        self._invalid = invalid

    def feed(self, received: bytes) -> list[bytes]:
        """The lines that are complete with these bytes, without their ends."""
        if b"\n" not in received:
            self._keep(received)
            return []
        first, *others = received.split(b"\n")
        rest = others.pop()
        lines = []
        if self._skipping:
            self._skipping = False
        else:
            others.insert(0, bytes(self._rest + first))
        self._rest.clear()
        for line in others:
            if len(line) > self._longest:
                self._invalid["too_long"] += 1
            else:
                lines.append(line)
        self._keep(rest)
        return lines

    def close(self) -> list[bytes]:
        """A last line that has no end."""
        rest = bytes(self._rest)
        self._rest.clear()
        return [rest] if rest and not self._skipping else []

    def _keep(self, received: bytes) -> None:
        if self._skipping:
            return
        self._rest += received
        if len(self._rest) > self._longest:
            self._rest.clear()
            self._skipping = True
            self._invalid["too_long"] += 1
