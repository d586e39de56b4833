"""The words of an input's setting: a kind, an address or path, then options such as ``speed=10`` and ``loop``.

What is wrong raises ValueError with a reason for people; ``split_setting`` and its callers add the setting's name.
"""

from __future__ import annotations

import difflib
import ipaddress
import math
import shlex
from collections.abc import Collection, Sequence

from skywatch.core.network.addresses import Network
from skywatch.sentences import sentence
from skywatch.settings import SettingsError, split_listen

Words = Sequence[str]
Station = tuple[float, float] | None


def split_setting(setting: str, text: str, kinds: Collection[str], example: str) -> tuple[str, list[str]]:
    """The kind of input that a setting names, and the words after it; raises SettingsError."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise SettingsError(setting, sentence("input.open_quote", "a quotation mark is not closed")) from None
    if not words:
        raise SettingsError(
            setting,
            sentence("input.empty", "is empty; expected a kind and an address, such as {example}", example=example),
        )
    kind, *rest = words
    if kind not in kinds:
        close = difflib.get_close_matches(kind, kinds, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(kinds))}"
        raise SettingsError(
            setting,
            sentence(
                "input.unknown_kind",
                "unknown kind of {family} {kind} ({hint})",
                family=setting.partition(".")[0],
                kind=f"{kind!r}",
                hint=hint,
            ),
        )
    return kind, rest


class Options:
    """Options by name; whoever reads them all calls ``finish`` so that a misspelt one is not overlooked."""

    def __init__(self, words: Words) -> None:
        self._texts: dict[str, str] = {}
        for word in words:
            name, _, text = word.partition("=")
            if name in self._texts:
                raise ValueError(sentence("input.option_twice", "{name} is given twice", name=name))
            self._texts[name] = text

    def text(self, name: str) -> str | None:
        """The text of an option, or None where it is not given."""
        return self._texts.pop(name, None)

    def flag(self, name: str) -> bool:
        """Whether a bare word is there."""
        text = self._texts.pop(name, None)
        if text:
            raise ValueError(sentence("input.option_no_value", "{name} takes no value", name=name))
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
            raise ValueError(
                sentence(
                    "member.between",
                    "{name} must be between {minimum} and {maximum}",
                    name=name,
                    minimum=f"{minimum:g}",
                    maximum=f"{maximum:g}",
                )
            )
        return value

    def whole(self, name: str, default: int, minimum: int, maximum: int) -> int:
        """A whole number within bounds."""
        value = self.number(name, default, minimum, maximum)
        if value != int(value):
            raise ValueError(sentence("member.whole", "{name} must be a whole number", name=name))
        return int(value)

    def point(self, name: str) -> Station:
        """``lat,lon`` in degrees, or None where the option is not given."""
        text = self._texts.pop(name, None)
        return None if text is None else parse_point(name, text)

    def networks(self, name: str) -> tuple[Network, ...]:
        """Addresses and networks separated by commas; empty where the option is not given."""
        text = self._texts.pop(name, None)
        if text is None:
            return ()
        try:
            return tuple(ipaddress.ip_network(item.strip()) for item in text.split(","))
        except ValueError:
            raise ValueError(
                sentence(
                    "input.networks",
                    "{name} must be addresses or networks separated by commas, such as 10.0.0.0/8",
                    name=name,
                )
            ) from None

    def finish(self) -> None:
        """Refuse options that nobody has read."""
        if self._texts:
            raise ValueError(sentence("input.unknown_option", "unknown option {name}", name=next(iter(self._texts))))


def parse_number(name: str, text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(sentence("member.number", "{name} must be a number", name=name)) from None
    if not math.isfinite(value):
        raise ValueError(sentence("member.finite", "{name} must be a finite number", name=name))
    return value


def parse_point(name: str, text: str) -> tuple[float, float]:
    """``lat,lon`` in degrees."""
    parts = text.split(",")
    if len(parts) != 2:
        raise ValueError(sentence("input.lat_lon", "{name} must be lat,lon", name=name))
    lat, lon = (parse_number(name, part) for part in parts)
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise ValueError(sentence("input.not_on_earth", "{name} is not on the Earth", name=name))
    return lat, lon


def parse_address(text: str, lowest_port: int = 1) -> tuple[str, int]:
    """``host:port`` (IPv6 hosts in brackets); where the program itself listens, port 0 lets the system choose."""
    host, port = split_listen(text)
    if not lowest_port <= port <= 65535:
        raise ValueError(sentence("input.port", "the port must be between {least} and 65535", least=lowest_port))
    return host, port


def join_address(host: str, port: int) -> str:
    """``host:port`` as people write it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
