"""Real processes that end and start again, with a receiver that is late: nothing is announced or cleared falsely."""

from __future__ import annotations

import json
import os
import time
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from skywatch.alerts.models import Alert
from skywatch.cannonball.models import CannonballAlert, CannonballSession, KnownAircraft
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.models import StoredEvent
from skywatch.history.models import Flight
from skywatch.picture.models import PictureState
from skywatch.safety.models import SafetyEvent
from tests.alerts import BOX, LOW, test_of
from tests.cannonball import POLICE, add_known
from tests.every_receiver import WebSource
from tests.integration.cannonball.test_service import PASSWORD, Person
from tests.ports import free_port
from tests.processes import Service
from tests.waiting import until

pytestmark = pytest.mark.nightly("restarts that wait for timeouts to pass")

# The receiver is back this long after the start, and everything is known this long after it (s).
LATE_S, KNOWN_S = 20.0, 75.0
EMERGENCY, PLAIN = "4b1601", "4b1602"
PLACE = {"lat": 47.2, "lon": 8.3, "gs": 0.0, "seen": 0.1, "seen_pos": 0.1}


class Roof:
    """A readsb that shows some aircraft while it is open."""

    def __init__(self) -> None:
        self.aircraft: dict[str, dict[str, Any]] = {
            EMERGENCY: {"squawk": "7700", "alt_baro": 3000, **PLACE},
            PLAIN: {"squawk": "1000", "alt_baro": 3500, **PLACE},
            POLICE: {"squawk": "1001", "alt_baro": 4000, **PLACE},
        }
        self.port = free_port()
        self._messages = 0
        self._source: WebSource | None = None
        self.open()

    def open(self) -> None:
        """Answer from now on."""
        self._source = WebSource(self._document, "", self.port)

    def close(self) -> None:
        """Refuse connections."""
        if self._source is not None:
            self._source.close()
            self._source = None

    def _document(self, address: str) -> bytes:
        self._messages += 3
        flying = [{"hex": a, "messages": self._messages, "type": "adsb_icao", **v} for a, v in self.aircraft.items()]
        return json.dumps({"now": time.time(), "messages": self._messages, "aircraft": flying}).encode()


class Ledger:
    """What an installation has stored."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)
        self._sessions = create_session_factory(self.engine)

    def rows(self, table: Any) -> list[Any]:
        with self._sessions() as session:
            return list(session.scalars(sa.select(table)))

    def events(self) -> dict[str, int]:
        """The number of published events by name, of those that announce or end something."""
        names = ("alert:triggered", "alert:cleared", "safety:event", "safety:event_resolved", "cannonball:alert")
        stored = [event.event for event in self.rows(StoredEvent)]
        return {name: stored.count(name) for name in names}

    def alerts(self) -> dict[str, list[bool]]:
        """Whether the alerts of each rule last."""
        lasting: dict[str, list[bool]] = {}
        for alert in sorted(self.rows(Alert), key=lambda alert: alert.id):
            lasting.setdefault(alert.rule_name, []).append(alert.cleared_at is None)
        return lasting

    def state(self) -> dict[str, Any]:
        """Everything that a start must not change."""
        return {
            "events": self.events(),
            "alerts": self.alerts(),
            "safety": [(e.id, e.ended_at is None) for e in self.rows(SafetyEvent) if e.type == "emergency_squawk"],
            "sessions": [(session.id, session.is_active) for session in self.rows(CannonballSession)],
            "cannonball": sorted(alert.alert_type for alert in self.rows(CannonballAlert)),
            "detected": [known.times_detected for known in self.rows(KnownAircraft)],
            "flights": sorted((flight.icao_hex, flight.active) for flight in self.rows(Flight)),
        }


def add_rules(olga: Person) -> None:
    """Rules that hold for the aircraft of the roof, and rules that never do."""
    fence = olga.call("POST", "/api/v1/alerts/geofences", {"name": "Box", "geometry": BOX}, 201)["id"]
    rules: dict[str, dict[str, Any]] = {
        "Crowd": {"conditions": LOW, "count": {"op": "ge", "value": 3}},
        "Mayday": {"conditions": test_of("emergency", "eq", True)},
        "Within": {"conditions": test_of("geofence", "within", fence)},
        "Few": {"conditions": LOW, "count": {"op": "lt", "value": 2}},
        "Enters": {"conditions": test_of("geofence", "enters", fence)},
    }
    for name, rule in rules.items():
        olga.call("POST", "/api/v1/alerts/rules", {"name": name, "for_s": 0, "cooldown_s": 0, **rule}, 201)


def start(service: Service) -> None:
    """Start, and wait until the API answers anybody."""
    service.start(wait=False)

    def answers() -> bool:
        assert service.process is not None
        assert service.process.poll() is None, "the service has ended"
        try:
            service.get("/api/v1/auth/config")
        except OSError:
            return False
        return True

    until(answers, "the API answers", every_s=0.2)


def locate(olga: Person) -> None:
    olga.call("PUT", "/api/v1/cannonball/location/", {"lat": 47.0, "lon": 8.3})


def knows_all(ledger: Ledger) -> bool:
    """Whether everything that is to be announced was, and is stored for a restart."""
    state = ledger.state()
    saved = {row.name for row in ledger.rows(PictureState)}
    return (
        state["alerts"] == {"Crowd": [True], "Mayday": [True], "Within": [True] * 3}
        and state["safety"] != []
        and state["events"]["safety:event"] == 1
        and state["sessions"] != []
        and state["detected"] == [1]
        and len(state["flights"]) == 3
        and "cannonball_detected" in saved
    )


def try_restart(first: Service, second: Service, end: str, away_s: float) -> None:
    """Announce, end, start again with a late receiver, and then let things really end."""
    roof = Roof()
    settings = first.ini.read_text(encoding="utf-8")
    for service in {first, second}:
        text = service.ini.read_text(encoding="utf-8")
        service.ini.write_text(f"{text}receiver.roof = readsb http://127.0.0.1:{roof.port}/data/aircraft.json\n")
    first.init().add_user("olga", "operator", PASSWORD)
    ledger = Ledger(first.database_url)
    add_known(SimpleNamespace(engine=ledger.engine), "3C1234,D-HBPA,Polizei\n")
    try:
        start(first)
        olga = Person(first, "olga")
        locate(olga)
        # In the first minute the geofence and few aircraft are judged as in every other.
        add_rules(olga)
        until(lambda: knows_all(ledger), "everything is announced", wait_s=180, every_s=0.5)
        before = ledger.state()
        roof.close()
        first.kill() if end == "SIGKILL" else first.stop()
        time.sleep(away_s)
        start(second)
        began = time.monotonic()
        time.sleep(LATE_S)
        assert ledger.state() == before, "while nothing is received"
        roof.open()
        olga = Person(second, "olga")
        locate(olga)
        time.sleep(max(0.0, began + KNOWN_S - time.monotonic()))
        assert ledger.state() == before, "when everything is known"
        roof.aircraft[EMERGENCY]["squawk"] = "1200"
        roof.aircraft[EMERGENCY]["alt_baro"] = 9000
        over = {"Crowd": [False], "Mayday": [False], "Within": [True] * 3}
        until(lambda: ledger.alerts() == over, "what is over is cleared", every_s=0.5)
        after = ledger.state()
        assert after["events"]["alert:triggered"] == before["events"]["alert:triggered"]
        assert after["events"]["alert:cleared"] == before["events"]["alert:cleared"] + 2
    except AssertionError as error:
        logs = "\n".join(service.log.read_text() for service in {first, second} if service.log.exists())
        raise AssertionError(f"{error}\n{settings}\n{logs}") from error
    finally:
        roof.close()
        for service in {first, second}:
            if service.process is not None and service.process.poll() is None:
                service.kill()
        ledger.engine.dispose()


# Each takes minutes: the other ways to end are for ``make drill NAME=restarts``.
IS_DRILL = bool(os.environ.get("SKYWATCH_RESTARTS"))
MORE_RESTARTS = [("SIGTERM", 0, 10), ("SIGKILL", 0, 1)] if IS_DRILL else []
MORE_TAKEOVERS = [("SIGTERM", 10)] if IS_DRILL else []


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("end", "away_s", "save_s"), [("SIGKILL", 30, 0), *MORE_RESTARTS])
def test_a_service_that_starts_again_announces_and_clears_nothing_falsely(tmp_path, end, away_s, save_s):
    service = Service(tmp_path, auth_mode="hybrid", secret="s" * 40, picture_save_s=save_s, history_flush_s=2)
    try_restart(service, service, end, away_s)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("end", "save_s"), [("SIGKILL", 0), *MORE_TAKEOVERS])
def test_a_tracker_that_takes_over_announces_and_clears_nothing_falsely(
    tmp_path, postgresql_url, redis_url, end, save_s
):
    services = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        services.append(
            Service(
                folder,
                auth_mode="hybrid",
                secret="s" * 40,
                database_url=postgresql_url,
                bus=redis_url,
                picture_save_s=save_s,
                history_flush_s=2,
            )
        )
    try_restart(*services, end, 0)
