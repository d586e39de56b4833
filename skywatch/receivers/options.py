"""The words of a receiver's setting: an address or file, then options such as ``speed=10`` and ``loop``.

Whatever is wrong raises ValueError with a reason for people; ``factory`` puts the name of the setting before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from skywatch.settings import split_listen

Words = Sequence[str]
Station = tuple[float, float] | None


class Options:
    """Options by name; whoever reads them all calls ``finish`` so that a misspelt one is not overlooked."""

    def __init__(self, words: Words) -> None:
        self._texts: dict[str, str] = {}
        for word in words:
            name, _, text = word.partition("=")
            if name in self._texts:
                raise ValueError(f"{name} is given twice")
            self._texts[name] = text

    def text(self, name: str) -> str | None:
        """The text of an option, or None where it is not given."""
        return self._texts.pop(name, None)

    def flag(self, name: str) -> bool:
        """Whether a bare word is there."""
        text = self._texts.pop(name, None)
        if text:
            raise ValueError(f"{name} takes no value")
        return text is not None

    def number(self, name: str, default: float, minimum: float, maximum: float) -> float:
        """A finite number within bounds."""
        value = self.optional_number(name, minimum, maximum)
        return default if value is None else value

    def optional_number(self, name: str, minimum: float, maximum: float) -> float | None:
        """A finite number within bounds, or None where it is not given."""
        text = self._texts.pop(name, None)
        if text is None:
            return None
        value = parse_number(name, text)
        if not minimum <= value <= maximum:
            raise ValueError(f"{name} must be between {minimum:g} and {maximum:g}")
        return value

    def whole(self, name: str, default: int, minimum: int, maximum: int) -> int:
        """A whole number within bounds."""
        value = self.number(name, default, minimum, maximum)
        if value != int(value):
            raise ValueError(f"{name} must be a whole number")
        return int(value)

    def finish(self) -> None:
        """Refuse what nobody asked for."""
        if self._texts:
            raise ValueError(f"unknown option {next(iter(self._texts))}")


def parse_number(name: str, text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number") from None
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number")
    return value


def parse_point(name: str, text: str) -> tuple[float, float]:
    """``lat,lon`` in degrees."""
    parts = text.split(",")
    if len(parts) != 2:
        raise ValueError(f"{name} must be lat,lon")
    lat, lon = (parse_number(name, part) for part in parts)
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise ValueError(f"{name} is not on the Earth")
    return lat, lon


def parse_host_port(words: Words) -> tuple[str, int]:
    """The single word ``host:port`` (IPv6 hosts in brackets)."""
    if not words:
        raise ValueError("expected host:port")
    if len(words) > 1:
        raise ValueError(f"unknown option {words[1].partition('=')[0]}")
    host, port = split_listen(words[0])
    if not 1 <= port <= 65535:
        raise ValueError("the port must be between 1 and 65535")
    return host, port
