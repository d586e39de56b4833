"""The identities of simulated aircraft: operators with their address blocks, types and registrations.

Address blocks lie within the national ones of ICAO Annex 10, volume III; callsign prefixes are ICAO designators.
"""

from __future__ import annotations

from typing import NamedTuple


class Operator(NamedTuple):
    """An operator: callsign prefix, first address and size of its block, registration prefix, types, category."""

    callsign: str
    first_address: int
    addresses: int
    registration: str
    types: tuple[str, ...]
    category: str


_NARROW = ("A320", "A20N", "A321", "B738", "B38M")
_WIDE = ("A333", "A359", "B77W", "B789")

AIRLINES: tuple[Operator, ...] = (
    Operator("DLH", 0x3C6000, 0x2000, "D-A", _NARROW, "A3"),
    Operator("SWR", 0x4B1600, 0x0A00, "HB-J", (*_NARROW, "BCS3"), "A3"),
    Operator("EZY", 0x406000, 0x1800, "G-EZ", _NARROW, "A3"),
    Operator("BAW", 0x400400, 0x1800, "G-X", (*_NARROW, *_WIDE), "A3"),
    Operator("AFR", 0x394000, 0x1800, "F-G", _NARROW, "A3"),
    Operator("KLM", 0x484000, 0x1800, "PH-B", ("B738", "B739", "E190"), "A3"),
    Operator("RYR", 0x4CA000, 0x1000, "EI-D", ("B738", "B38M"), "A3"),
    Operator("AUA", 0x440000, 0x1000, "OE-L", ("A320", "E195"), "A3"),
    Operator("IBE", 0x341000, 0x1800, "EC-M", _NARROW, "A3"),
    Operator("SAS", 0x4AC800, 0x0800, "SE-R", ("A20N", "CRJ9"), "A3"),
    Operator("THY", 0x4BA800, 0x1000, "TC-J", (*_NARROW, *_WIDE), "A3"),
    Operator("WZZ", 0x471C00, 0x1000, "HA-L", ("A21N", "A321"), "A3"),
    Operator("UAE", 0x896000, 0x0800, "A6-E", ("B77W", "A388"), "A5"),
    Operator("UAL", 0xA20000, 0x4000, "N", _WIDE, "A5"),
    Operator("DAL", 0xA60000, 0x4000, "N", _WIDE, "A5"),
    Operator("AAL", 0xAA0000, 0x4000, "N", _WIDE, "A5"),
)
LIGHT: tuple[Operator, ...] = (
    Operator("", 0x4B3800, 0x0800, "HB-P", ("P28A", "C172", "DR40"), "A1"),
    Operator("", 0x3D0800, 0x2000, "D-E", ("C152", "C172", "SR22", "DA40"), "A1"),
    Operator("", 0xA80000, 0x8000, "N", ("C172", "SR22", "P28A"), "A1"),
)
HELICOPTERS: tuple[Operator, ...] = (
    Operator("", 0x4B4400, 0x0200, "HB-Z", ("EC45", "A109", "H500"), "A7"),
    Operator("", 0x3DD000, 0x1000, "D-H", ("EC35", "EC45"), "A7"),
)
MILITARY: tuple[Operator, ...] = (
    Operator("RCH", 0xAE0000, 0x6000, "", ("C17", "K35R", "C30J"), "A5"),
    Operator("GAF", 0x3EA000, 0x0800, "", ("A400", "EUFI"), "A5"),
    Operator("RRR", 0x43C000, 0x0F00, "", ("A400", "A332", "EUFI"), "A5"),
    Operator("CTM", 0x3B7000, 0x0800, "", ("A400", "C30J"), "A5"),
)
