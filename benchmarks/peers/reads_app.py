"""The whole service in one process; its reads compared with plain ones: a query for each check, objects for rows.

The plain ones are services of the same application: credentials, limits, validation and JSON are the same.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks._history import Database, new_writer, record
from benchmarks._people import populate
from benchmarks._traffic import Traffic
from benchmarks.cannonball import fill_known
from skywatch.cannonball.known.service import known_answer
from skywatch.cannonball.models import KnownAircraft
from skywatch.core.feature import Feature, FeatureSet
from skywatch.core.runtime import Runtime
from skywatch.features import FEATURES
from skywatch.history.models import Flight
from skywatch.history.reading.flights import COLUMNS
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission
from skywatch.serving.process import run
from skywatch.settings import Settings, load_with_origins

# A minute of flights in addition to what the simulator brings.
START = 1_750_000_200.0

plain_check = ApiService("bench.known", "/bench/known/{icao_hex}", feature="cannonball")
plain_flights = ApiService("bench.flights", "/bench/flights/{count}", feature="history")


@plain_check.get(permission=Permission.CANNONBALL_VIEW)
def check(request: Any) -> dict[str, Any]:
    """Ask the database"""
    icao_hex = request.matchdict["icao_hex"].upper()
    entry = request.db.scalar(sa.select(KnownAircraft).where(KnownAircraft.icao_hex == icao_hex))
    return {"found": True, "aircraft": known_answer(entry)} if entry else {"found": False, "icao_hex": icao_hex}


@plain_flights.get(permission=Permission.HISTORY_VIEW)
def flights(request: Any) -> dict[str, Any]:
    """Make an object of each row"""
    query = (
        sa.select(Flight).order_by(Flight.first_seen_at.desc(), Flight.id.desc()).limit(int(request.matchdict["count"]))
    )
    rows = request.db.scalars(query).all()
    count = request.db.scalar(sa.select(sa.func.count()).select_from(Flight))
    return {"flights": [{name: getattr(row, name) for name in COLUMNS} for row in rows], "count": count}


def includeme(config: Any) -> None:
    config.add_cornice_service(plain_check)
    config.add_cornice_service(plain_flights)


def main() -> None:
    """Serve until told to stop."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.sqlite"
        ini = {
            "environment": "development",
            "auth_mode": "public",
            "database_url": url,
            "listen": f"127.0.0.1:{os.environ['BENCH_PORT']}",
            "realtime_listen": "127.0.0.1:0",
            "receiver.demo": f"simulate aircraft={os.environ['BENCH_AIRCRAFT']}",
            "default_throttle_rates.user": "100000000/minute",
            "default_throttle_rates.live": "100000000/minute",
        }
        bench = Feature(name="bench", include="benchmarks.peers.reads_app")
        settings, _ = load_with_origins(FeatureSet([*FEATURES, bench]).settings(), ini, {})
        _fill(settings, int(os.environ["BENCH_KNOWN"]), int(os.environ["BENCH_FLIGHTS"]))
        run(settings, settings.roles)


def _fill(settings: Settings, known: int, flown: int) -> None:
    runtime = Runtime.open(settings)
    Path(os.environ["BENCH_CREDENTIALS"]).write_text(json.dumps(populate(runtime)))
    base = Database("sqlite", settings.database_url, runtime.engine, runtime.sessions)
    fill_known(base.sessions, [f"{0x400000 + number:06X}" for number in range(known)])
    record(base, Traffic(flown, START), 60, new_writer(base))
    runtime.close()


if __name__ == "__main__":
    # Under its own name, for Cornice and Pyramid find it by that.
    from benchmarks.peers import reads_app

    reads_app.main()
