"""The addresses of known aircraft, for other features."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import KnownAircraft
from skywatch.cannonball.vocabulary import AgencyType


def police_addresses(session: Session) -> Sequence[str]:
    """The addresses of all but the military aircraft of the list."""
    is_other = KnownAircraft.agency_type != AgencyType.MILITARY.value
    return session.scalars(sa.select(KnownAircraft.icao_hex).where(is_other)).all()
