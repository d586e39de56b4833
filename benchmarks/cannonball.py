"""Cannonball: a tick with 200 users and 15,000 aircraft, the search over 300,000 known aircraft, a million imported.

CPU time of this process for the tick (the concurrent writer's thread is counted too), wall time for the search, which
is asked through the application as a client would. The search's peers are the databases: plain ``LIKE``, and indexes
of trigrams (FTS5 on SQLite, pg_trgm on PostgreSQL), which cannot serve fewer than three characters.
"""

from __future__ import annotations

import gc
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import sqlalchemy as sa
from webtest import TestApp

from benchmarks._traffic import Traffic
from skywatch import make_app
from skywatch.accounts.models import User
from skywatch.cannonball.known.formats.table import Dialect, text_table
from skywatch.cannonball.known.imports.importing import import_staged
from skywatch.cannonball.known.imports.lists import stage_list
from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.models import KnownAircraft, KnownRevision
from skywatch.cannonball.monitor import create
from skywatch.core.bus import open_bus
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import (
    SQLITE_BUSY_TIMEOUT_S,
    SessionFactory,
    create_engine,
    create_session_factory,
    writing,
)
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.core.storing.audit import COMMAND_LINE
from skywatch.features import load
from skywatch.picture.tracker import GARBAGE_THRESHOLDS
from tests.identities import as_role, install
from tests.servers import postgresql_database

USERS, AIRCRAFT, KNOWN_IN_SKY = 200, 15_000, 300
WARM_UP_TICKS, TICKS = 60, 60
KNOWN = 300_000
SEARCHES = 400
CHECKS = 400
COMMON, RARE, SHORT = ("police", "highway"), ("sheriff 12", "n123", "ff0", "patrol 4999", "zzzz"), ("a1", "e", "0")
WORDS = COMMON + RARE + SHORT
PEERS = 30
TABLE = KnownAircraft.__tablename__
IMPORTED = 1_000_000
WRITE_EVERY_S = 0.05


def main() -> None:
    """Print the tick, then the search on each database."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    with _sqlite() as runtime:
        _measure_ticks(runtime)
    with _sqlite() as runtime:
        _measure_search("SQLite", runtime)
    with postgresql_database() as url, _runtime(url) as runtime:
        _measure_search("PostgreSQL", runtime)
    with _sqlite() as runtime:
        _measure_import(runtime)


@contextmanager
def _sqlite() -> Iterator[Runtime]:
    with tempfile.TemporaryDirectory() as folder, _runtime(f"sqlite:///{folder}/bench.sqlite") as runtime:
        yield runtime


@contextmanager
def _runtime(url: str) -> Iterator[Runtime]:
    settings = load({"secret": "only-for-benchmarks-0123456789abcdef", "database_url": url}, environ={})
    engine = create_engine(url)
    upgrade(engine)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
    try:
        yield runtime
    finally:
        runtime.close()


def _entry(number: int, icao_hex: str, chance: random.Random) -> dict[str, Any]:
    now = utcnow()
    return {
        "icao_hex": icao_hex,
        "registration": f"N{number % 99999}",
        "aircraft_type": "AS50",
        "aircraft_model": "Airbus AS-350",
        "agency_name": f"{chance.choice(('Police Department', 'Sheriff', 'Highway Patrol'))} {number % 5000}",
        "agency_type": chance.choice(("federal", "state", "local", "unknown")),
        "agency_state": chance.choice(("CA", "NY", "TX", "")),
        "agency_city": "",
        "source": "community",
        "source_url": "",
        "verified": number % 3 == 0,
        "times_detected": 0,
        "notes": "",
        "created_at": now,
        "updated_at": now,
        "edited_fields": [],
        "revision": 1,
    }


def add_users(sessions: SessionFactory, ids: Iterable[int]) -> None:
    """Accounts without a role."""
    with writing(sessions) as db:
        for n in ids:
            name = f"user{n}"
            db.add(User(id=n, username=name, username_key=name, email=name, email_key=name, display_name=name))


def fill_known(sessions: SessionFactory, addresses: list[str]) -> None:
    """Put entries with these addresses on the list."""
    chance = random.Random(1)
    with writing(sessions) as db:
        for start in range(0, len(addresses), 10_000):
            part = addresses[start : start + 10_000]
            db.execute(sa.insert(KnownAircraft), [_entry(start + n, a, chance) for n, a in enumerate(part)])
        db.execute(sa.update(KnownRevision).values(revision=1))


def _fill(runtime: Runtime, addresses: list[str]) -> None:
    fill_known(runtime.sessions, addresses)
    with runtime.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")


def _measure_ticks(runtime: Runtime) -> None:
    start = time.time()
    add_users(runtime.sessions, range(1, USERS + 1))
    traffic = Traffic(AIRCRAFT, start)
    chance = np.random.default_rng(2)
    _fill(runtime, [h.upper() for h in chance.choice(traffic.hexes, KNOWN_IN_SKY, replace=False).tolist()])
    store = LocationStore(runtime.bus)
    for n in range(1, USERS + 1):
        lat, lon = float(chance.uniform(45, 50)), float(chance.uniform(4, 13))
        store.put(Location(n, lat, lon, 25.0, start, start + 3600.0, speed_kt=50.0, heading=90.0))
    monitor = create(runtime)
    monitor.start()
    took = []
    for number in range(WARM_UP_TICKS + TICKS):
        sky = traffic()
        began = time.thread_time()
        monitor.on_tick(sky)
        if number >= WARM_UP_TICKS:
            took.append(1000 * (time.thread_time() - began))
    sessions = len(monitor._sessions.sessions)
    monitor.close()
    print(f"{USERS} users, {AIRCRAFT} aircraft, {KNOWN_IN_SKY} of them known, {sessions} sessions at the end")
    print(
        f"tick, CPU of the tracker's thread: median {statistics.median(took):.1f} ms, "
        f"p95 {sorted(took)[int(0.95 * len(took))]:.1f} ms (target 50 ms)"
    )


def _measure_search(name: str, runtime: Runtime) -> None:
    chance = random.Random(3)
    _fill(runtime, [f"{number:06X}" for number in chance.sample(range(0x1000, 0xFFFFFF), KNOWN)])
    client = install(TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"}))
    headers = as_role("admin")
    url = "/api/v1/cannonball/known-aircraft/"
    began = time.perf_counter()
    client.get(url, headers=headers)
    print(f"{name}: {KNOWN:,} known aircraft, first list (reads them all) {time.perf_counter() - began:.2f} s")

    def search(number: int) -> None:
        client.get(url, {"search": WORDS[number % len(WORDS)], "limit": 50}, headers=headers)

    def check(number: int) -> None:
        client.get(f"{url}check/{number * 4711 % 0xFFFFFF:06X}/", headers=headers)

    _show(f"{name}: search with count and verified_count, one page of 50", search, SEARCHES, "target p99 20 ms")
    _show(f"{name}: check", check, CHECKS)
    _measure_peers(name, runtime)


def _measure_peers(name: str, runtime: Runtime) -> None:
    """The two counts of a search, without its page, as the database answers them."""
    text = "lower(icao_hex || ' ' || registration || ' ' || agency_name)"
    like = f"{text} LIKE :pattern"
    with writing(runtime.sessions) as db:
        if name == "SQLite":
            db.execute(sa.text("CREATE VIRTUAL TABLE peer USING fts5(text, content='', tokenize='trigram')"))
            db.execute(sa.text(f"INSERT INTO peer(rowid, text) SELECT id, {text} FROM {TABLE}"))
            trigrams = "id IN (SELECT rowid FROM peer WHERE peer MATCH :phrase)"
        else:
            # As pg_trgm would be used: an index on the expression of the LIKE.
            db.execute(sa.text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
            db.execute(sa.text(f"CREATE INDEX peer ON {TABLE} USING gin (({text}) gin_trgm_ops)"))
            trigrams = like
    with runtime.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")

    for words, condition in ((COMMON, trigrams), (RARE, trigrams), (SHORT, like)):
        query = sa.text(f"SELECT count(*), sum(CASE WHEN verified THEN 1 ELSE 0 END) FROM {TABLE} WHERE {condition}")
        count = partial(_count, runtime, query, words)
        _show(f"{name}: the two counts for {', '.join(words)} (peer)", count, PEERS)


def _count(runtime: Runtime, query: sa.TextClause, words: tuple[str, ...], number: int) -> None:
    word = words[number % len(words)]
    values = {"pattern": f"%{word}%", "phrase": f'"{word}"'}
    with runtime.sessions() as db:
        db.execute(query, {name: value for name, value in values.items() if f":{name}" in query.text}).one()


def _measure_import(runtime: Runtime) -> None:
    """Import a million rows into SQLite while another thread writes all the time, as the tracker does."""
    rows = "".join(f"{0x1000 + 7 * n:06X},N{n % 99999},Sheriff of county {n % 5000}\n" for n in range(IMPORTED))
    text = f"icao_hex,registration,agency_name\n{rows}".encode()
    waits: list[float] = []
    done = threading.Event()

    def write() -> None:
        is_done = False
        while not is_done:
            began = time.perf_counter()
            with writing(runtime.sessions) as db:
                db.execute(sa.update(KnownAircraft).where(KnownAircraft.id == 1).values(times_detected=1))
            waits.append(time.perf_counter() - began)
            is_done = done.wait(WRITE_EVERY_S)

    writer = threading.Thread(target=write)
    writer.start()
    began = time.perf_counter()
    with stage_list(text_table(text, Dialect()), "skywatch") as staged:
        read = time.perf_counter()
        import_staged(runtime.engine, staged, actor=COMMAND_LINE)
    done.set()
    writer.join()
    print(
        f"SQLite: {IMPORTED:,} rows imported: read in {read - began:.0f} s, compared and written in "
        f"{time.perf_counter() - read:.0f} s; {len(waits)} concurrent writes, the longest wait {max(waits):.1f} s "
        f"(who waits for {SQLITE_BUSY_TIMEOUT_S} s gives up)"
    )


def _show(what: str, call: Callable[[int], None], times: int, remark: str = "") -> None:
    wall, cpu = [], []
    for number in range(times):
        began, began_cpu = time.perf_counter(), time.process_time()
        call(number)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - began_cpu))
    shown = [
        f"{name} median {statistics.median(took):.1f} ms, p99 {sorted(took)[int(0.99 * times)]:.1f} ms"
        for name, took in (("wall", wall), ("CPU", cpu))
    ]
    print(f"{what}: {'; '.join(shown)} {remark}".rstrip())
