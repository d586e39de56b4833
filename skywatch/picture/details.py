"""Airframes in the picture: what the database adds to what an aircraft's receiver says of it.

What needs ``aircraft.view_details`` (registration, owner, operator, year) becomes a fragment of JSON of its own.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from skywatch.airframes.military import is_military_address
from skywatch.airframes.models import INTERESTING, MILITARY
from skywatch.airframes.service import Airframe

# What was added is remembered for so many aircraft more than twice those in the sky.
SPARE = 1000
Said = str | UnsetType
NOTHING_KNOWN = Airframe("")


class Details(msgspec.Struct):
    """The members that need a permission, by readsb's names and ``operator``."""

    r: str | UnsetType = UNSET
    ownOp: str | UnsetType = UNSET  # noqa: N815
    operator: str | UnsetType = UNSET
    year: str | UnsetType = UNSET


class _Known(msgspec.Struct, gc=False):
    """What is added to one aircraft, and what that was made of."""

    made_of: tuple[Airframe | None, Said, Said, Said]  # airframe; registration, owner and year as received
    fragment: bytes
    registration: str | None
    type_code: Said
    type_name: Said
    flags: int


class DetailsWriter:
    """Adds to every aircraft what is known of its airframe; what it added is remembered by address."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._known: dict[str, _Known] = {}

    def complete(
        self, members: dict[str, list[Any]], said: dict[str, list[Any]], airframes: list[Airframe | None]
    ) -> tuple[list[bytes], list[str | None]]:
        """Fill ``t``, ``desc``, ``dbFlags`` and ``military`` of the members in; see ``wire.encode``.

        Gives the details of each aircraft as JSON members without braces (empty where nothing is known) and its
        registration.
        """
        added = self._look_up(members["hex"], said, airframes)
        members["t"] = [
            known.type_code if value is UNSET else value for value, known in zip(members["t"], added, strict=True)
        ]
        members["desc"] = [
            known.type_name if value is UNSET else value for value, known in zip(members["desc"], added, strict=True)
        ]
        flags = members["dbFlags"] = [
            (value or 0) | known.flags if known.flags else value
            for value, known in zip(members["dbFlags"], added, strict=True)
        ]
        members["military"] = [bool(value and value & MILITARY) for value in flags]
        return [known.fragment for known in added], [known.registration for known in added]

    def _look_up(self, hexes: list[str], said: dict[str, list[Any]], airframes: list[Airframe | None]) -> list[_Known]:
        if len(self._known) > 2 * len(hexes) + SPARE:
            self._known = {address: known for address in hexes if (known := self._known.get(address)) is not None}
        remembered = self._known
        added = []
        spoken = zip(airframes, said["r"], said["ownOp"], said["year"], strict=True)
        for address, made_of in zip(hexes, spoken, strict=True):
            known = remembered.get(address)
            if known is None or known.made_of != made_of:
                known = remembered[address] = self._make(address, *made_of)
            added.append(known)
        return added

    def _make(self, address: str, airframe: Airframe | None, registration: Said, owner: Said, year: Said) -> _Known:
        known = airframe or NOTHING_KNOWN
        details = Details(
            r=_either(registration, known.registration),
            ownOp=_either(owner, known.owner),
            operator=_either(UNSET, known.operator),
            year=_either(year, str(known.year) if known.year else None),
        )
        # The database may not have answered yet; the address alone tells at once.
        by_address = MILITARY if airframe is None and is_military_address(address) else 0
        return _Known(
            (airframe, registration, owner, year),
            self._encoder.encode(details)[1:-1],
            details.r if isinstance(details.r, str) else None,
            known.type_code or UNSET,
            known.type_name or UNSET,
            known.flags | by_address,
        )


def interesting(flags: list[Any]) -> list[bool]:
    """Whether somebody has marked the aircraft as interesting, by dbFlags."""
    return [bool(value and value & INTERESTING) for value in flags]


def _either(said: Said, known: str | None) -> Said:
    if said is not UNSET and said != "":
        return said
    return known or UNSET
