"""Real flights through the real picture and monitor: the police helicopter is announced, ordinary traffic is not."""

from collections import Counter

import pytest
import sqlalchemy as sa

from skywatch.cannonball.models import CannonballAlert, CannonballSession, KnownAircraft
from skywatch.core.geo import destination
from tests.cannonball import Stage, add_known, add_users

# Beneath the orbits of both sorties.
BENEATH = (34.143, -118.254)
FAR = tuple(map(float, destination(*BENEATH, 180.0, 20.0)))
USERS = ((1, *BENEATH), (2, *FAR))
AGAIN = pytest.mark.nightly("another recording of the same kind")
# Of each sortie: the second one circles on for an hour, and nothing else is announced.
SORTIE_S = 2400.0


@pytest.fixture
def database():
    """The kind of database; tests may name another."""
    return "sqlite"


@pytest.fixture
def stage(request, make_runtime, database, shared_data):
    runtime = make_runtime(database_url=request.getfixturevalue(f"{database}_url"))
    add_users(runtime, 1, 2)
    listed = (shared_data / "lawenf" / "known_law_enforcement.csv").read_text().splitlines()
    rows = "\n".join(",".join(line.split(",")[:2] + line.split(",")[4:5]) for line in listed[1:] if '"' not in line)
    # The helicopter of the recordings is in none of the lists.
    add_known(runtime, rows + "\nA68A37,N520PD,Pasadena Police Dept\n")
    stage = Stage(runtime)
    stage.start()
    yield stage
    stage.close()


def of(stage, table, user_id):
    with stage.runtime.sessions() as db:
        return list(db.scalars(sa.select(table).where(table.user_id == user_id).order_by(table.id)))


# Every kind of row is in the shorter sortie.
@pytest.mark.parametrize(
    ("database", "sortie"), [("sqlite", "081"), ("postgresql", "081"), pytest.param("sqlite", "092", marks=AGAIN)]
)
def test_a_police_helicopter_is_announced_followed_and_let_go(stage, shared_data, sortie):
    feed = shared_data / "feeds" / f"la_police_n520pd_{sortie}_times_reconstructed.jsonl.gz"
    stage.replay(feed, USERS, seconds=SORTIE_S)
    stage.silence(400, USERS)
    stage.close()
    (near,) = of(stage, CannonballSession, 1)
    (far,) = of(stage, CannonballSession, 2)
    assert (near.icao_hex, near.callsign, near.agency_name) == ("A68A37", "N520PD", "Pasadena Police Dept")
    assert not near.is_active
    assert not far.is_active
    assert (near.peak_threat_level, far.peak_threat_level) == ("critical", "info")
    assert near.peak_urgency_score > far.peak_urgency_score + 15
    assert near.pattern_count >= 1
    kinds = Counter(alert.alert_type for alert in of(stage, CannonballAlert, 1))
    assert kinds["le_detected"] == kinds["threat_cleared"] == 1
    assert 1 <= kinds["pattern_detected"] <= 3
    assert sum(kinds.values()) <= 10
    assert {alert.alert_type for alert in of(stage, CannonballAlert, 2)} <= {"le_detected", "pattern_detected"}
    with stage.runtime.sessions() as db:
        entry = db.scalar(sa.select(KnownAircraft).where(KnownAircraft.icao_hex == "A68A37"))
    assert entry.times_detected == 1


@pytest.mark.parametrize(
    ("feed", "place"),
    [
        ("switzerland_30min", (46.9, 8.2)),
        pytest.param("california_30min", (36.8, -121.5), marks=AGAIN),
    ],
)
def test_ordinary_traffic_raises_no_law_enforcement_alert(stage, shared_data, feed, place):
    users = ((1, *place), (2, *map(float, destination(*place, 90.0, 40.0))))
    stage.replay(shared_data / "feeds" / f"{feed}.jsonl.gz", users)
    stage.close()
    assert of(stage, CannonballAlert, 1) == []
    assert of(stage, CannonballAlert, 2) == []
