"""A recorded hour of three aircraft, and requests to the history over it."""

from datetime import UTC, datetime

import numpy as np

from skywatch.history.recorder.recorder import Recorder
from skywatch.history.recorder.writer import Writer
from tests.identities import as_role
from tests.unit.history.skies import SkyMaker, flying

T = 1_750_000_200.0
SECONDS = 1300
VIEWER, OPERATOR, ANALYST = (as_role(role) for role in ("viewer", "operator", "analyst"))


def iso(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def record(sessions, seconds=SECONDS):
    """A Swiss airliner, one that lands and is silent for a while, and a military one."""
    writer, make = Writer(sessions, Recorder(20.0, 25.0, 900.0)), SkyMaker()
    airframe = {"registration": "HB-JJA", "operator": "SWISS", "owner": "Leasing Ltd"}
    for second in range(seconds):
        now = T + second
        sky = [
            flying("4b1620", now, T, flight="SWR1", type="A320", squawk="1000", **airframe),
            flying("43c001", now, T, flight="RRR1", military=True, type="A400"),
        ]
        if not 600 <= second < 700:
            sky.append(flying("3c6444", now, T, flight="=EVIL,1", alt_baro_ft=np.nan, on_ground=True, gs_kt=5.0))
        writer.recorder.take(make(now, sky))
        if second % 20 == 19:
            writer.flush()
    return writer


def get(client, path, headers=ANALYST, status=200, **query):
    query = {name.rstrip("_"): str(value) for name, value in query.items()}
    return client.get(f"/api/v1/history/{path}", query, headers=headers, status=status)


def span():
    return {"from_": iso(T), "to": iso(T + SECONDS)}
