"""Messages that are stored already when their aircraft turns out to be military: hidden from then on like the aircraft.

A receiver may report it (``dbFlags``) long after the first message, or an import of airframes; only a message that is
linked is hidden, so one that named nothing but a registration is linked by what the picture knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.models import AcarsMessage
from skywatch.airframes.models import MILITARY, AirframeRecord
from skywatch.airframes.service import MAX_AT_ONCE
from skywatch.picture.state.military import military_in
from skywatch.picture.state.sky import Sky

_messages: Any = AcarsMessage.__table__


class Flagged(NamedTuple):
    """Aircraft that are military in the picture: (upper-case address, registration or an empty text)."""

    aircraft: tuple[tuple[str, str], ...]


def flagged_in(sky: Sky, earlier: set[str]) -> Flagged:
    """The military aircraft in the picture whose address is not among the ``earlier`` ones."""
    registrations, index = sky.column("registration"), sky.index
    new = [address for address in military_in(sky) if address not in earlier]
    return Flagged(
        tuple((address, registrations[index[address.lower()]].decode("ascii", "replace")) for address in new)
    )


def flag(session: Session, flagged: Flagged) -> None:
    """Hide what is stored of these aircraft."""
    for some in _some(flagged.aircraft):
        addresses = [address for address, _ in some]
        is_theirs = _messages.c.icao_hex.in_(addresses)
        session.execute(sa.update(_messages).where(is_theirs, _messages.c.military.is_(False)).values(military=True))
        _link(session, {spelling: address for address, name in some if name for spelling in spellings_of(name)})


def _link(session: Session, addresses: dict[str, str]) -> None:
    is_unlinked = _messages.c.icao_hex.is_(None)
    query = sa.select(_messages.c.registration).where(is_unlinked, _messages.c.registration.in_(addresses)).distinct()
    for registration in session.scalars(query).all() if addresses else ():
        update = sa.update(_messages).where(is_unlinked, _messages.c.registration == registration)
        session.execute(update.values(icao_hex=addresses[registration], military=True))


def flag_by_airframes(session: Session) -> None:
    """Hide what is stored of aircraft that the imported airframes mark as military."""
    military = sa.select(AirframeRecord.icao_hex).where(AirframeRecord.flags.op("&")(MILITARY) != 0)
    is_theirs = _messages.c.icao_hex.in_(military)
    session.execute(sa.update(_messages).where(is_theirs, _messages.c.military.is_(False)).values(military=True))


def spellings_of(registration: str) -> list[str]:
    """A registration as it may be written in lists: with and without hyphens."""
    return list(dict.fromkeys((registration, registration.replace("-", ""))))


def _some(values: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    """As many as one query takes, with two spellings each."""
    for start in range(0, len(values), MAX_AT_ONCE):
        yield values[start : start + MAX_AT_ONCE]
