"""The list of known aircraft in the tracker, where every aircraft that enters the picture is looked up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.models import KnownAircraft
from skywatch.cannonball.vocabulary import AgencyType


class KnownFacts(NamedTuple):
    """The fields of a known aircraft that a session uses."""

    known_id: int
    agency_name: str
    verified: bool
    military: bool


class KnownTable:
    """An immutable copy of the list at one revision; 300,000 entries take some 10 MB."""

    def __init__(self, revision: int, rows: list[tuple[str, int, str, bool, bool]]) -> None:
        self.revision = revision
        count = len(rows)
        self.addresses = np.fromiter((int(row[0], 16) for row in rows), np.uint32, count)
        self.ids = np.fromiter((row[1] for row in rows), np.int64, count)
        names: dict[str, int] = {}
        self._name_of = np.fromiter((names.setdefault(row[2], len(names)) for row in rows), np.int32, count)
        self._names = list(names)
        self._verified = np.fromiter((row[3] for row in rows), np.bool_, count)
        self._military = np.fromiter((row[4] for row in rows), np.bool_, count)

    @classmethod
    def read(cls, db: Session) -> KnownTable:
        """Load the list from the database."""
        revision = current_revision(db)
        query = sa.select(
            KnownAircraft.icao_hex,
            KnownAircraft.id,
            KnownAircraft.agency_name,
            KnownAircraft.verified,
            KnownAircraft.agency_type == AgencyType.MILITARY.value,
        ).order_by(KnownAircraft.icao_hex)
        rows = db.execute(query.execution_options(yield_per=10_000))
        return cls(revision, [(row[0], row[1], row[2], row[3], row[4]) for row in rows])

    def positions(self, addresses: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """The position of each address in this table, -1 if it is not on the list."""
        if not len(self.addresses):
            return np.full(len(addresses), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.addresses, addresses), len(self.addresses) - 1)
        return np.where(self.addresses[at] == addresses, at, -1)

    def facts(self, position: int) -> KnownFacts:
        """The entry at a position."""
        return KnownFacts(
            int(self.ids[position]),
            self._names[self._name_of[position]],
            bool(self._verified[position]),
            bool(self._military[position]),
        )


EMPTY = KnownTable(-1, [])
