"""Routes for tests: files in the form of the virtual radar community's standing data, flown routes, judged skies."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.picture.state.routes import LiveRoutes
from skywatch.picture.state.row_map import RowMap
from skywatch.routes.models import FlownRoute
from skywatch.routes.monitor import create
from tests.identities import as_role
from tests.skies import NOW, show, sky_of

ADMIN = as_role("admin", user_id=1)
ANALYST = as_role("analyst", user_id=2)
VIEWER = as_role("viewer", user_id=3)
HEADER = "Callsign,Code,Number,AirlineCode,AirportCodes\n"


def upload(client, text, *, content_type="text/csv", status=200, headers=ADMIN):
    """Import a table by the API."""
    return client.post(
        "/api/v1/routes/import", text.encode("utf-8", "surrogateescape"), headers=headers, content_type=content_type,
        status=status,
    )  # fmt: skip


def fly(runtime, callsign, *pairs, days_ago=1.0, military=False, simulated=False, icao_hex="4B1601"):
    """Store flights of a callsign whose ends are known, one a pair such as ``LSZH-EGLL``."""
    ended_at = utcnow() - timedelta(days=days_ago)
    with writing(runtime.sessions) as session:
        number = session.query(FlownRoute).count()
        for count, pair in enumerate(pairs, 1):
            origin, destination = pair.split("-")
            session.add(
                FlownRoute(
                    flight_id=number + count,
                    icao_hex=icao_hex,
                    callsign=callsign,
                    military=military,
                    simulated=simulated,
                    origin=origin,
                    destination=destination,
                    began_at=ended_at - timedelta(hours=1, minutes=count),
                    ended_at=ended_at - timedelta(minutes=count),
                    learnt_at=utcnow(),
                )
            )


class Judge:
    """The tracker's part in this process: judges a sky made by hand and shows it as the next tick would."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.monitor = create(runtime)
        self.live = runtime.shared(LiveRoutes)
        self.sky = None

    def show(self, *aircraft, at=0.0):
        """Show aircraft, so many seconds after the first sky."""
        before = self.sky
        sky = sky_of(*aircraft, seq=before.seq + 1 if before else 1, now=NOW + at)
        rows = [before.index.get(address, -1) if before else -1 for address in sky.hexes]
        sky.columns["previous_row"][:] = rows
        self.sky = self._tick(sky)
        return self.sky

    def judge(self, *aircraft, at=0.0):
        """Show aircraft, judge all of them, and show them with what was found."""
        sky = self.show(*aircraft, at=at)
        self.monitor.judge(sky, 1000.0 + at)
        sky.columns["previous_row"][:] = range(len(sky))
        self.sky = self._tick(sky)
        return self.sky

    def _tick(self, sky):
        index = dict(zip(sky.hexes, range(len(sky)), strict=True))
        columns, _ = self.live.columns(index, RowMap(sky.column("previous_row")), sky.column("flight"))
        sky.columns.update(columns)
        return show(self.runtime, sky)

    def routes(self):
        """The routes that are shown, by callsign."""
        sky = self.sky
        routes = sky.routes(np.arange(len(sky))).tolist()
        return {
            callsign.decode(): route.decode()
            for callsign, route in zip(sky.column("flight").tolist(), routes, strict=True)
            if route
        }


def aircraft(callsign, lat=None, lon=None, *, icao_hex="4b1601", **more):
    """An aircraft in flight, as readsb writes it."""
    place = {"lat": lat, "lon": lon} if lat is not None else {}
    return {"hex": icao_hex, "flight": callsign, "alt_baro": 35_000, "gs": 450.0, "baro_rate": 0, **place, **more}
