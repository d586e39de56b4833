"""A day of recorded flights that has just ended: an hour flown, and copies of it for the hours before."""

from __future__ import annotations

import sqlalchemy as sa

from benchmarks._history import Copies, Database, new_writer, record
from benchmarks._traffic import Traffic
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.history.models import Flight
from skywatch.overflights.indexer import Indexer

HOURS = 24
# Of each hour so many seconds are flown; aircraft come and go meanwhile.
FLOWN_S = 1800
# An aircraft that is in sight all the day (``_traffic.STAYING``), as the recording names it.
STAYING = "400000"


def record_past(installation: object) -> None:
    """Record it, index what flew low, and give the flights what the picture would have given them."""
    from benchmarks._endpoint_costs.installation import Installation

    assert isinstance(installation, Installation)
    runtime, sizes = installation.runtime, installation.sizes
    base = Database("sqlite", runtime.settings.database_url, runtime.engine, runtime.sessions)
    traffic = Traffic(sizes.flown, unix_now() - FLOWN_S - 120)
    record(base, traffic, FLOWN_S, new_writer(base))
    copies = Copies(base, FLOWN_S)
    copies.make(HOURS * 3600 // FLOWN_S - 1)
    Indexer(runtime.sessions).run(at_once=True)
    with writing(runtime.sessions) as session:
        session.execute(sa.update(Flight).values(registration="HB-JCS", operator="Swiss", squawk="1000"))
