"""The envelopes of the decoders: acarsdec and vdlm2dec (flat), dumpvdl2, dumphfdl, JAERO, and any other with a label.

Each reader takes a decoded JSON object and returns a ``Burst``, a ``FramePosition`` or None (a frame without either);
``recognise`` chooses by the keys that name the program. Source: the programs' own output.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from skywatch.acars.envelopes.burst import (
    Burst,
    Direction,
    FramePosition,
    Source,
    address,
    block_direction,
    body,
    megahertz,
    number_and_sequence,
    position,
    real,
    registration,
    sequence,
    split_sublabel,
    unix,
    word,
)

Object = Mapping[str, Any]
Content = Burst | FramePosition | None
APPLICATIONS = ("arinc622", "libacars", "miam", "media-adv", "ohma")
# Below this VHF frequency in MHz there is no VDL2 (ICAO Annex 10, volume III: the four topmost channels of the band).
VDL2_FROM_MHZ, VDL2_TO_MHZ = 136.6, 137.0
# Characters of one block (ARINC 618); a longer text was put together by the program.
MAX_BLOCK = 220
# How deep within other objects and lists a message is looked for, and among how many values.
MAX_NESTING = 5
MAX_NESTED = 1_000
# Values of one object that describe the messages within it.
MAX_VALUES = 100


class Unrecognised(Exception):
    """JSON of some other program."""


def recognise(envelope: Object) -> list[Content]:
    """The messages of an object; raises Unrecognised if no decoder writes such.

    They are in the object itself, else in the objects and lists within it, which other programs put around them.
    """
    return [_without_prefix(content) for content in _recognise(envelope)]


def _without_prefix(content: Content) -> Content:
    """A burst whose sublabel stands in the field for it, not in front of its text."""
    if not isinstance(content, Burst):
        return content
    sublabel, text = split_sublabel(content.label, content.text)
    return (
        content
        if sublabel is None
        else msgspec.structs.replace(content, sublabel=content.sublabel or sublabel, text=text)
    )


def _recognise(envelope: Object) -> list[Content]:
    contents = _named(envelope)
    if contents:
        return contents
    if isinstance(envelope.get("label"), str):
        return [flat(envelope)]
    if any(name in envelope for name in ("icao", "hex", "tail", "flight")) and "timestamp" in envelope:
        return [flat_frame(envelope)]
    contents = [content for inner, around in _nested(envelope) for content in _within(inner, around)]
    if not contents:
        raise Unrecognised
    if len(contents) == 1 and isinstance(contents[0], Burst):
        return [msgspec.structs.replace(contents[0], raw=dict(envelope))]
    return contents


def _named(envelope: Object) -> list[Content]:
    """What stands under the name of its program."""
    for name, read in NAMED.items():
        inner = envelope.get(name)
        if isinstance(inner, Mapping):
            return [read(inner, envelope)]
        if isinstance(inner, list):
            return [read(message, {name: message}) for message in inner[:MAX_NESTED] if isinstance(message, Mapping)]
    if isinstance(envelope.get("isu"), Mapping):
        return [jaero(envelope)]
    transport = _child(envelope, "source").get("transport")
    is_transported = isinstance(transport, str) and isinstance(envelope.get("acars"), Mapping)
    return [transported(envelope, TRANSPORTS.get(str(transport).lower(), "acars"))] if is_transported else []


def _within(inner: Object, around: Object) -> list[Content]:
    """The messages of an object that stands within others, whose plain values are ``around``."""
    contents = _named(inner)
    if contents or not _is_message(inner):
        return contents
    # With a time of its own it is a whole envelope that another program has wrapped.
    return [flat(inner)] if "timestamp" in inner else [other(inner, around)]


def _nested(envelope: Object) -> Iterator[tuple[Object, Object]]:
    """The objects within an object, those of lists too, without what is within a message; with the values around."""
    level: list[tuple[Any, Object]] = [(envelope, _values(envelope))]
    seen = 0
    for _ in range(MAX_NESTING):
        following: list[tuple[Any, Object]] = []
        for value, around in level:
            for child in value if isinstance(value, list) else value.values():
                seen += 1
                if seen > MAX_NESTED:
                    return
                if isinstance(child, list):
                    following.append((child, around))
                elif isinstance(child, Mapping):
                    yield child, around
                    if not _is_message(child) and not _NAMES & child.keys():
                        following.append((child, {**around, **_values(child)}))
        level = following


def _values(envelope: Object) -> dict[str, Any]:
    """The members of an object that may describe the messages within it."""
    some = itertools.islice(envelope.items(), MAX_VALUES)
    return {name: value for name, value in some if name in _KEPT or not isinstance(value, Mapping | list)}


def _is_message(value: Object) -> bool:
    return isinstance(value.get("label"), str) and any(isinstance(value.get(n), str) for n in ("text", "msg_text"))


def flat(envelope: Object) -> Burst:
    """acarsdec and vdlm2dec: everything side by side."""
    frequency = megahertz(envelope.get("freq"))
    block = word(envelope.get("block_id"), 1)
    number, letter = number_and_sequence(envelope.get("msgno"))
    is_vdl2 = "vdl" in str(_app(envelope).get("name", "")).lower() or (
        "icao" in envelope and frequency is not None and VDL2_FROM_MHZ <= frequency <= VDL2_TO_MHZ
    )
    return Burst(
        source="vdl2" if is_vdl2 else "acars",
        at=unix(envelope.get("timestamp")),
        station=word(envelope.get("station_id"), 64) or "",
        frequency_mhz=frequency,
        level_db=real(envelope.get("level"), -200, 100),
        icao_hex=address(envelope.get("hex")) or address(envelope.get("icao")),
        registration=registration(envelope.get("tail")),
        flight=word(envelope.get("flight"), 8),
        label=word(envelope.get("label"), 2) or "",
        sublabel=word(envelope.get("sublabel"), 2),
        block_id=block,
        message_number=number,
        sequence=letter,
        # ``end`` marks a block that ends with ETB: more follow; later versions of acarsdec say how far they are.
        more=envelope.get("end") is True or envelope.get("assstat") == "in progress",
        is_whole=envelope.get("assstat") == "complete",
        # Squitters (SQ) are the ground stations' own.
        direction="uplink" if envelope.get("label") == "SQ" else block_direction(block),
        text=body(envelope.get("text")),
        application=_application(envelope),
        raw=dict(envelope),
    )


def flat_frame(envelope: Object) -> FramePosition | None:
    """vdlm2dec's frames without ACARS."""
    where = position(envelope.get("lat"), envelope.get("lon"))
    if where is None:
        return None
    altitude = real(envelope.get("alt"), -2000, 60_000)
    return FramePosition(
        source="vdl2",
        at=unix(envelope.get("timestamp")),
        icao_hex=address(envelope.get("hex")) or address(envelope.get("icao")),
        flight=word(envelope.get("flight"), 8),
        lat=where[0],
        lon=where[1],
        altitude_ft=None if altitude is None else round(altitude),
    )


def dumpvdl2(inner: Object, envelope: Object) -> Content:
    """dumpvdl2: an AVLC frame with ACARS, XID or something else."""
    avlc = _child(inner, "avlc")
    sender, receiver = _child(avlc, "src"), _child(avlc, "dst")
    aircraft = sender if sender.get("type") == "Aircraft" else receiver if receiver.get("type") == "Aircraft" else {}
    acars = avlc.get("acars")
    at, icao_hex = unix(inner.get("t")), address(aircraft.get("addr"))
    if not isinstance(acars, Mapping):
        return _xid(_child(avlc, "xid"), at, icao_hex if aircraft is sender else None)
    direction: Direction = "downlink" if aircraft is sender else "uplink"
    return _linked(acars, envelope, "vdl2", inner, icao_hex, direction)


def _xid(xid: Object, at: float | None, icao_hex: str | None) -> FramePosition | None:
    for parameter in xid.get("vdl_params") or ():
        if isinstance(parameter, Mapping) and parameter.get("name") == "ac_location":
            value = _child(parameter, "value")
            loc = _child(value, "loc") or value
            where = position(loc.get("lat"), loc.get("lon"))
            if where is not None and icao_hex is not None:
                altitude = real(value.get("alt"), -2000, 60_000)
                feet = None if altitude is None else round(altitude)
                return FramePosition(
                    source="vdl2", at=at, icao_hex=icao_hex, flight=None, lat=where[0], lon=where[1], altitude_ft=feet
                )
    return None


def dumphfdl(inner: Object, envelope: Object) -> Content:
    """dumphfdl: an LPDU with ACARS or performance data; SPDUs are the ground stations' own."""
    lpdu = _child(inner, "lpdu")
    sender, receiver = _child(lpdu, "src"), _child(lpdu, "dst")
    is_downlink = sender.get("type") == "Aircraft"
    aircraft = sender if is_downlink else receiver
    icao_hex = address(_child(aircraft, "ac_info").get("icao")) or address(_child(lpdu, "ac_info").get("icao"))
    hfnpdu = _child(lpdu, "hfnpdu")
    acars = hfnpdu.get("acars")
    if isinstance(acars, Mapping):
        return _linked(acars, envelope, "hfdl", inner, icao_hex, "downlink" if is_downlink else "uplink")
    spot = _child(hfnpdu, "pos")
    where = position(spot.get("lat"), spot.get("lon"))
    flight = word(hfnpdu.get("flight_id"), 8)
    if where is None or not is_downlink or (icao_hex is None and flight is None):
        return None
    return FramePosition(
        source="hfdl", at=unix(inner.get("t")), icao_hex=icao_hex, flight=flight, lat=where[0], lon=where[1]
    )


def _linked(
    acars: Object, envelope: Object, source: Source, inner: Object, icao_hex: str | None, direction: Direction | None
) -> Burst:
    """The ACARS part of dumpvdl2, dumphfdl and JAERO."""
    number, text = word(acars.get("msg_num"), 4), body(acars.get("msg_text"))
    return Burst(
        source=source,
        at=unix(inner.get("t")),
        station=word(inner.get("station"), 64) or "",
        frequency_mhz=megahertz(inner.get("freq")),
        level_db=real(inner.get("sig_level"), -200, 100),
        icao_hex=icao_hex,
        registration=registration(acars.get("reg")),
        flight=word(acars.get("flight"), 8),
        label=word(acars.get("label"), 2) or "",
        sublabel=word(acars.get("sublabel"), 2),
        block_id=word(acars.get("blk_id"), 1),
        message_number=number,
        sequence=sequence(acars.get("msg_num_seq")),
        more=acars.get("more") is True,
        is_whole=len(text) > MAX_BLOCK,
        direction=direction,
        text=text,
        application=_application(acars),
        raw=dict(envelope),
    )


def jaero(envelope: Object) -> Content:
    """JAERO: a signal unit of an Inmarsat satellite; the aircraft's address is its AES id."""
    unit = _child(envelope, "isu")
    acars = unit.get("acars")
    if not isinstance(acars, Mapping):
        return None
    sender, receiver = _child(unit, "src"), _child(unit, "dst")
    is_downlink = "aircraft" in str(sender.get("type", "")).lower()
    aes = sender if is_downlink else receiver
    inner = {"t": envelope.get("t"), "station": envelope.get("station"), "freq": envelope.get("freq")}
    return _linked(
        acars, envelope, "inmarsat", inner, address(aes.get("addr")), "downlink" if is_downlink else "uplink"
    )


def transported(envelope: Object, source: Source) -> Burst:
    """iridium-toolkit and programs like it: the message under ``acars``, its station and link under ``source``."""
    acars = _child(envelope, "acars")
    text = acars.get("text", acars.get("msg_text"))
    around = {name: envelope[name] for name in ("freq", "level", "app") if name in envelope}
    merged = {**around, **acars, "text": text, "msgno": acars.get("message_number", acars.get("msgno"))}
    merged.setdefault("station_id", _child(envelope, "source").get("station_id"))
    merged.setdefault("timestamp", envelope.get("timestamp"))
    burst = flat(merged)
    link = acars.get("link_direction")
    direction: Direction | None = (
        "downlink" if link == "downlink" else "uplink" if link == "uplink" else burst.direction
    )
    more = burst.more or acars.get("block_end") is False
    return msgspec.structs.replace(burst, source=source, direction=direction, more=more, raw=dict(envelope))


def other(inner: Object, envelope: Object) -> Burst:
    """Any other envelope around an object with a label and a text (SatDump and programs to come)."""
    merged = {**{k: v for k, v in envelope.items() if not isinstance(v, Mapping)}, **inner}
    merged.setdefault("text", inner.get("msg_text"))
    merged.setdefault("tail", inner.get("reg"))
    burst = flat({**merged, "app": envelope.get("app")})
    name = str(_app(envelope).get("name", "")).lower()
    source: Source = "iridium" if "iridium" in name or "iridium" in envelope else "inmarsat"
    return msgspec.structs.replace(burst, source=source, raw=dict(envelope), at=burst.at or unix(envelope.get("t")))


def _application(acars: Object) -> dict[str, Any] | None:
    applications = {name: acars[name] for name in APPLICATIONS if isinstance(acars.get(name), Mapping)}
    return applications or None


def _child(value: Object, name: str) -> Object:
    child = value.get(name)
    return child if isinstance(child, Mapping) else {}


def _app(envelope: Object) -> Object:
    return _child(envelope, "app")


# By the word for the link in ``source``.
TRANSPORTS: dict[str, Source] = {
    "iridium": "iridium", "aero": "inmarsat", "inmarsat": "inmarsat", "satcom": "inmarsat", "hfdl": "hfdl",
    "hf": "hfdl", "vdl2": "vdl2", "vdl-m2": "vdl2", "vdlm2": "vdl2", "vhf": "acars",
}  # fmt: skip
NAMED: dict[str, Callable[[Object, Object], Content]] = {"vdl2": dumpvdl2, "hfdl": dumphfdl}
_NAMES = {*NAMED, "isu"}
# What names the program or the network may be an object.
_KEPT = ("app", "iridium", "t")
