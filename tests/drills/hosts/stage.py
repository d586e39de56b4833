"""One cluster with its feeders, subscribers and requests: plays faults and measures what callers see of each."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from tests.drills.feeders import FEEDERS, VISIT_S, Feeders, hex_of, make_rule
from tests.drills.hosts.callers import Watchers
from tests.drills.hosts.cluster import Cluster
from tests.drills.hosts.faults import Fault, Scene
from tests.drills.hosts.files import PROXY_HOST, SERVICE_HOSTS
from tests.drills.hosts.outcome import Outcome
from tests.drills.ingest_loss import register
from tests.drills.network import Lan
from tests.drills.rolling import Requests, Result
from tests.processes import PASSWORD
from tests.waiting import until

# A subscriber without a tick for so long is not well.
TICK_S = 3.0
# Patroni's ttl, an election, and everything behind it.
PATIENCE_S = 180.0
# A visitor that left the sky so long ago has raised its alert, if ever.
ALERT_S = 15.0
# Statements that were under way at the fault may still arrive for so long.
UNDER_WAY_S = 1.0
WRITTEN_BY_TRACKERS = ("history_flights", "history_chunks", "history_tail", "alerts", "alert_matches", "picture_state")
NOTE = """
CREATE SCHEMA drill;
CREATE TABLE drill.writes (at timestamptz NOT NULL, name text NOT NULL, client inet);
CREATE FUNCTION drill.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  INSERT INTO drill.writes VALUES (clock_timestamp(), TG_TABLE_NAME, inet_client_addr()); RETURN NULL;
END $$;
"""


def _is_right(answer: httpx.Response) -> bool:
    return answer.status_code in (200, 201) or (answer.status_code == 503 and "Retry-After" in answer.headers)


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    roles: dict[str, int]
    subscribers: int = 50
    requests_s: float = 20.0
    # So long all has to be well before the next fault.
    calm_s: float = 3.0
    # Whether disks and clocks can be changed.
    has_conditions: bool = True


class Stage:
    """Plays faults on a cluster that is well, one after the other."""

    def __init__(
        self, cluster: Cluster, size: Size, feeders: Feeders, watchers: Watchers, requests: Requests, token: str
    ) -> None:
        self.cluster, self.size = cluster, size
        self._feeders, self._watchers, self._requests = feeders, watchers, requests
        self._token = token
        self._base = f"https://{Lan.address(PROXY_HOST)}/api/v1"
        self._http = httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=10.0)
        self._checked: set[int] = set()
        # What was the last to be well again.
        self.last_ill = ""
        self._log = cluster.files.folder / "ticks.log"

    def begin(self) -> None:
        """Count from here on: visitors may have come and gone while the cluster was not well yet."""
        self._checked = set(range(self._feeders.sky.visitors(time.monotonic()).stop))

    def ill(self) -> str:
        """What is not well, in words; nothing where all is."""
        if ended := self.cluster.supervisor.ended():
            return f"ended: {', '.join(ended)}"
        for number in SERVICE_HOSTS[: self.cluster.roles["api"]]:
            health = self.cluster.health(number, self._token)
            if health.get("status") != "ok":
                failing = [one["name"] for one in health.get("checks", []) if not one["ok"]]
                return f"health of sky{number}: {health.get('status')} {failing}"
        if self.cluster.leading_tracker(self._token) is None:
            return "not one tracker leads with all others standing by"
        if late := self._watchers.late(TICK_S):
            return f"{late} subscribers without a tick"
        if self._feeders.connected < FEEDERS:
            return f"{self._feeders.connected} of {FEEDERS} feeders"
        if not self.cluster.database_is_well():
            return f"PostgreSQL: {self.cluster.members()}"
        return "" if self.cluster.bus_is_well() else "a server of the bus"

    def wait_until_well(self, calm_s: float) -> None:
        """Wait until all is well, and has been so for a while."""
        end, since = time.monotonic() + PATIENCE_S, 0.0
        while True:
            ill, now = self.ill(), time.monotonic()
            if ill:
                self.last_ill, since = ill, 0.0
            elif not since:
                since = now
            if since and now - since >= calm_s:
                return
            assert now < end, f"not well after {PATIENCE_S:g} s: {ill}"
            time.sleep(0.2)

    def play(self, fault: Fault, turn: int, hold_s: float) -> Outcome:
        """Prepare and cause a fault, hold it, cure it, wait until all is well, and look at what is stored."""
        scene = Scene(self.cluster, self._token, turn)
        if fault.prepare(scene):
            self.wait_until_well(0.0)
        self.wait_until_well(self.size.calm_s)
        # At any part of the second.
        time.sleep(random.random())
        self._watchers.forget()
        result, acknowledged = self._requests.start_over(), set(self._requests.added)
        began = time.time()
        cure = fault.cause(scene)
        caused = time.monotonic()
        time.sleep(hold_s)
        cure()
        cured = time.monotonic() if hold_s > 3 else caused
        self.wait_until_well(0.0)
        well_after_s = time.monotonic() - cured
        outcome = Outcome(
            self._watchers.gap_until_now_s(), self._watchers.longest_s, self._watchers.back_s, well_after_s,
            os.getloadavg()[0], len(self._watchers.broken),
        )  # fmt: skip
        self._write_ticks(fault.name, began)
        outcome.unequal = self._watchers.unequal(self._http, self._base)
        self._look_at_stored(outcome, scene, began)
        self._look_at_commits(outcome, acknowledged)
        self._take_answers(outcome, result)
        return outcome

    def _write_ticks(self, name: str, began: float) -> None:
        """What came when, for whoever looks for the reason of a gap: seconds after the fault, age and epoch."""
        with self._log.open("a") as log:
            log.write(f"{name} at {time.strftime('%H:%M:%S', time.gmtime(began))}\n")
            for at, now, epoch in list(self._watchers.ticks):
                log.write(f"  {at - began:7.2f} {at - now:7.2f} {epoch}\n")

    def _take_answers(self, outcome: Outcome, result: Result) -> None:
        outcome.answers, outcome.other_answers = Counter(result.answers), list(result.failed)

    def _look_at_commits(self, outcome: Outcome, before: set[int]) -> None:
        """Read back what was acknowledged, and what each subscriber has of it."""
        added = set(self._requests.added) - before
        outcome.commits = outcome.events = len(added)
        outcome.commits_lost = sum(not self._is_stored(number) for number in added)
        end = time.monotonic() + 20.0
        while (lacking := self._watchers.lacking(added)) and time.monotonic() < end:
            time.sleep(0.2)
        outcome.events_lost = lacking
        outcome.events_doubled = sum(one[number] > 1 for one in self._watchers.singly for number in added)

    def _is_stored(self, number: int) -> bool:
        answer = until(lambda: self._asked(f"{self._base}/audio/transmissions/{number}"), "an answer of REST")
        assert answer.status_code in (200, 404), answer.text
        return answer.status_code == 200

    def _asked(self, url: str) -> httpx.Response | None:
        answer = self._http.get(url)
        return answer if answer.status_code != 503 else None

    def _look_at_stored(self, outcome: Outcome, scene: Scene, began: float) -> None:
        """Count what is stored twice or not at all, of visitors and aircraft, and what a silenced host wrote."""
        sky = self._feeders.sky
        gone = set(sky.arrived(time.monotonic(), VISIT_S + ALERT_S)) - self._checked
        self._checked |= gone
        with self.cluster.administrator("skywatch") as connection:
            counts = dict(connection.execute("SELECT icao_hex, count(*) FROM alerts GROUP BY icao_hex").fetchall())
            outcome.alerts = len(gone)
            outcome.alerts_lost = sum(hex_of(number) not in counts for number in gone)
            outcome.alerts_doubled = sum(count > 1 for count in counts.values())
            flights = "SELECT count(*) FROM (SELECT 1 FROM history_flights GROUP BY icao_hex HAVING count(*) > 1) AS f"
            outcome.flights_doubled = _number(connection, flights)
            if scene.silenced is not None:
                # On a machine that is busy it may have to lead again meanwhile.
                late = (
                    "SELECT count(*) FROM drill.writes WHERE client = %s AND at > to_timestamp(%s)"
                    " AND (NOT %s OR at < (SELECT taken_at FROM fencing_tokens WHERE name = 'tracker'))"
                )
                leads_again = self.cluster.leading_tracker(self._token) == scene.silenced
                given = (Lan.address(scene.silenced), began + UNDER_WAY_S, leads_again)
                outcome.late_rows = _number(connection, late, given)

    def close(self) -> None:
        """End."""
        self._http.close()


def _number(connection: psycopg.Connection, statement: str, given: tuple[object, ...] = ()) -> int:
    row = connection.execute(statement.encode(), given).fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def stage(folder: Path, bus: str, size: Size, note: Callable[[str], None]) -> Iterator[Stage]:
    """Everything started, and all well."""
    with ExitStack() as stack:
        lan = stack.enter_context(Lan.of(range(4)))
        stack.enter_context(lan.entered(0))
        note("the servers and Skywatch start")
        cluster = stack.enter_context(Cluster.of(lan, folder, bus, size.roles, with_conditions=size.has_conditions))
        feeders = Feeders([(Lan.address(PROXY_HOST), 30004)])
        register(cluster.files.environment()["DATABASE_URL"], feeders.digits)
        os.environ["SSL_CERT_FILE"] = str(folder / "sky.crt")
        base = f"https://{Lan.address(PROXY_HOST)}/api/v1"
        token = until(lambda: _log_in(base), "a login", wait_s=PATIENCE_S, every_s=0.5)
        make_rule(base, token)
        with cluster.administrator("skywatch") as connection:
            connection.execute(NOTE)
            for name in WRITTEN_BY_TRACKERS:
                connection.execute(
                    f"CREATE TRIGGER drill AFTER INSERT OR UPDATE ON {name} EXECUTE FUNCTION drill.note()".encode()
                )
        feeders.start()
        stack.callback(feeders.close)
        note("subscribers connect")
        watchers = Watchers(f"wss://{Lan.address(PROXY_HOST)}/ws", token, size.subscribers)
        stack.callback(watchers.close)
        requests = Requests(base, token, size.requests_s, Result(), _is_right)
        stack.callback(requests.close)
        playing = Stage(cluster, size, feeders, watchers, requests, token)
        stack.callback(playing.close)
        playing.wait_until_well(size.calm_s)
        playing.begin()
        yield playing


def _log_in(base: str) -> str:
    """A token; nothing while the service starts."""
    try:
        answer = httpx.post(f"{base}/auth/login", json={"username": "drill", "password": PASSWORD}, timeout=30.0)
    except httpx.HTTPError:
        return ""
    return str(answer.json()["access"]) if answer.status_code == 200 else ""
