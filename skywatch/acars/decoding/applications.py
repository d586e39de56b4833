"""Air traffic applications (ADS-C, CPDLC, MIAM) as the receiving decoder's libacars gives them: JSON to items.

``render`` takes the object that stands next to the text (``arinc622``, ``libacars`` or one like it), of whatever shape;
a text whose application was not decoded by the receiver is named by its heading alone (ARINC 622).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skywatch.acars.decoding.values import Decoded, Form, Items, Message, Position, position_of

HEADING = re.compile(r"/?([A-Z0-9]{4,7})\.(ADS|AT1|CC1|DR1)\.([A-Z0-9-]{3,7})")
NAMES = {"ADS": "ADS-C message", "AT1": "CPDLC message", "CC1": "CPDLC connection", "DR1": "CPDLC disconnection"}
MAX_DEPTH = 24
MAX_ITEMS = 40
_FEET = {"alt": "altitude_ft"}


def render(application: Mapping[str, Any]) -> Decoded | None:
    """Title, items and position of a decoded application, or None where none is recognised."""
    for key, read in (("adsc", _adsc), ("cpdlc", _cpdlc), ("miam", _miam)):
        body = _find(application, key)
        if isinstance(body, Mapping):
            return read(body, application)
    return None


def _find(value: Any, key: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH or not isinstance(value, Mapping):
        return None
    if key in value:
        return value[key]
    return next((match for child in value.values() if (match := _find(child, key, depth + 1)) is not None), None)


def _adsc(body: Mapping[str, Any], application: Mapping[str, Any]) -> Decoded | None:
    tags = body.get("tags")
    items, where = _ground(application), None
    names: list[str] = []
    for tag in tags if isinstance(tags, list) else []:
        for name, content in tag.items() if isinstance(tag, Mapping) else ():
            names.append(str(name).replace("_", " "))
            if isinstance(content, Mapping):
                if where is None and "basic" in str(name):
                    where = _position(content)
                    items.position(where)
                _add_leaves(items, content, str(name))
    title = "ADS-C: " + ", ".join(dict.fromkeys(names)) if names else "ADS-C message"
    return Decoded("adsc", title[:200], items.done()[:MAX_ITEMS], where)


def _cpdlc(body: Mapping[str, Any], application: Mapping[str, Any]) -> Decoded | None:
    labels = [str(label) for label in _values(body, "choice_label")][:8]
    items = _ground(application)
    for number, label in enumerate(labels, 1):
        items.add(f"element_{number}", "Message", label)
    for name, value in _leaves(_find(body, "data") or {}):
        items.add(name, name.replace("_", " ").capitalize(), value)
    sender = "Pilot" if _find(body, "atc_downlink_msg") is not None else "Controller"
    title = f"CPDLC, {sender.lower()}: {labels[0]}" if labels else "CPDLC message"
    return Decoded("cpdlc", title[:200], items.done()[:MAX_ITEMS])


def _miam(body: Mapping[str, Any], application: Mapping[str, Any]) -> Decoded | None:
    items = Items()
    _add_leaves(items, body, "miam")
    return Decoded("miam", "MIAM message", items.done()[:MAX_ITEMS])


def _ground(application: Mapping[str, Any]) -> Items:
    ground = _find(application, "gs_addr")
    return Items().add("facility", "Facility", ground if isinstance(ground, str) else None)


def _position(content: Mapping[str, Any]) -> Position | None:
    values = [content.get(name) for name in ("lat", "lon", "alt")]
    lat, lon, altitude = (float(v) if isinstance(v, int | float) else None for v in values)
    return position_of(lat, lon, altitude)


def _add_leaves(items: Items, content: Mapping[str, Any], group: str) -> None:
    for name, value in _leaves(content):
        if name not in ("lat", "lon"):
            items.add(_FEET.get(name, name), f"{group} {name}".replace("_", " ").capitalize(), value)


def _leaves(value: Any, depth: int = 0) -> Iterator[tuple[str, str | int | float]]:
    """Named values of a nested object, outermost first."""
    if depth > MAX_DEPTH:
        return
    for name, child in value.items() if isinstance(value, Mapping) else ():
        if isinstance(child, bool):
            yield str(name), "yes" if child else "no"
        elif isinstance(child, str | int | float):
            yield str(name), child
        else:
            for member in child if isinstance(child, list) else [child]:
                yield from _leaves(member, depth + 1)


def _values(value: Any, key: str, depth: int = 0) -> Iterator[Any]:
    """Every value under a key, however deep."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        if key in value:
            yield value[key]
        for child in value.values():
            yield from _values(child, key, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _values(child, key, depth + 1)


def undecoded(message: Message) -> Decoded | None:
    """An application without a decoder: its kind and facility."""
    match = HEADING.match(message.text)
    if not match:
        return None
    kind = "adsc" if match[2] == "ADS" else "cpdlc"
    return Decoded(kind, NAMES[match[2]], Items().add("facility", "Facility", match[1]).done())


FORMS: dict[str, tuple[Form, ...]] = dict.fromkeys(("H1", "A6", "B6", "AA", "BA", "A0", "B0"), (undecoded,))
