"""Pages of the console over many rows: processor time of a page, and the time that its user waits.

100,000 users, 1,000,000 audit entries and 300,000 known aircraft. With SQLite the processor time holds the database's;
with PostgreSQL what its server takes is in the time that the user waits alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from webtest import TestApp

from benchmarks._people import NAME, PASSWORD, populate
from skywatch import make_app
from skywatch.accounts.identity.caller import CLI_CALLER
from skywatch.accounts.users.schemas import UserChangeFields
from skywatch.accounts.users.service import update_user
from skywatch.core.database.engine import create_engine, writing
from skywatch.core.runtime import Runtime
from skywatch.features import load
from tests.servers import postgresql_database

KINDS = ("sqlite", "postgresql")
USERS, ENTRIES, KEYS, KNOWN = 100_000, 1_000_000, 10_000, 300_000
ROUNDS = 20
TARGET_MS = 100.0
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
EVERY_S = 30
# In addition to the only user of ``_people``.
FIRST_USER = 1000
SERIES = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) ",
    "postgresql": "WITH n(i) AS (SELECT generate_series(0, {count} - 1)) ",
}
MOMENT = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%S.000000', {begin} + i * {step}, 'unixepoch')",
    "postgresql": "to_timestamp({begin} + i * {step})",
}


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=KINDS, action="append")
    parser.add_argument("--folder", type=Path, help="where SQLite's file goes while it lasts")
    options = parser.parse_args([] if arguments is None else arguments)
    for kind in options.database or KINDS:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder, _database(kind, folder) as url:
            _measure(kind, url)


@contextmanager
def _database(kind: str, folder: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/bench.sqlite"
    else:
        with postgresql_database() as url:
            yield url


def _measure(kind: str, url: str) -> None:
    plenty = {f"default_throttle_rates.{bucket}": "100000000/minute" for bucket in ("anon", "user", "login")}
    ini = {"environment": "development", "database_url": url, "auth_mode": "hybrid", "bus": "memory", **plenty}
    runtime = Runtime.open(load(ini, {}))
    try:
        populate(runtime)
        with writing(runtime.sessions) as session:
            user_id = session.execute(sa.text("SELECT id FROM users WHERE username = :name"), {"name": NAME}).scalar()
            update_user(session, CLI_CALLER, user_id or 0, UserChangeFields(roles=["superadmin"]))
        # Requests may ask the server for seconds alone; this takes longer.
        engine = create_engine(url)
        seed(engine)
        engine.dispose()
        client = TestApp(make_app(runtime))
        _sign_in(client)
        print(
            f"\n{kind}: {USERS:,} users, {ENTRIES:,} audit entries, {KNOWN:,} known aircraft; {ROUNDS} pages each (ms)"
        )
        print(f"{'page':58} {'CPU p50':>8} {'CPU p95':>8} {'wait p95':>8}")
        slow = [name for name, address in _pages() if not _time(client, name, address)]
        print(f"target {TARGET_MS:.0f} ms: {'met' if not slow else 'missed by ' + ', '.join(slow)}")
    finally:
        runtime.close()


def _sign_in(client: TestApp) -> None:
    form = client.get("/console/sign-in").forms[0]
    form["username"], form["password"] = NAME, PASSWORD
    form.submit(headers={"Origin": "http://localhost"}, status=303)


def _pages() -> Iterator[tuple[str, str]]:
    late = FIRST.timestamp() + EVERY_S * ENTRIES * 0.95
    yield "users, first page", "/console/users"
    yield "users, near the end", f"/console/users?after=user{USERS - USERS // 20 + 1_000_000}"
    yield "users, page before", f"/console/users?before=user{USERS // 2 + 1_000_000}"
    yield "users, part of a name that few have", f"/console/users?search=user{USERS - 3 + 1_000_000}"
    yield "users, part of a name that nobody has", "/console/users?search=zeppelin"
    yield "users, deactivated", "/console/users?is_active=false"
    yield "users, of a role that few hold", "/console/users?role=admin"
    yield "users, of a role that many hold", "/console/users?role=viewer"
    yield "one user", f"/console/users/{FIRST_USER + USERS // 2}"
    yield "roles", "/console/roles"
    yield "API keys, first page", "/console/keys"
    yield "API keys of one user", f"/console/keys?owner=user{1_000_000 + 7}"
    yield "audit, first page", "/console/audit"
    yield "audit, older", f"/console/audit?cursor={ENTRIES // 20}"
    yield "audit, a common action", "/console/audit?action=login"
    yield "audit, a rare action", "/console/audit?action=role.changed"
    yield "audit, an action that is not there", "/console/audit?action=nothing"
    yield "audit, by the number of a user", f"/console/audit?actor={FIRST_USER + 7}"
    yield "audit, by the name of a user", f"/console/audit?actor=user{1_000_000 + 7}"
    yield "audit, by a name that is not there", "/console/audit?actor=zeppelin"
    yield "audit, about one user", f"/console/audit?target_type=user&target_id={FIRST_USER + 7}"
    yield "audit, about all users", "/console/audit?target_type=user"
    yield "audit, from an address", "/console/audit?address=10.0.0.7"
    yield "audit, of the first days", f"/console/audit?to={_text(FIRST.timestamp() + 86_400 * 3)}"
    yield "audit, of the last days", f"/console/audit?from={_text(late)}"
    yield "audit, a rare action of a common actor", "/console/audit?action=role.changed&actor=user1000000"
    yield "known aircraft, first page", "/console/known-aircraft"
    yield "known aircraft, near the end", f"/console/known-aircraft?offset={KNOWN - KNOWN // 20}"
    yield "known aircraft, part of an agency that many have", "/console/known-aircraft?search=sheriff"
    yield "known aircraft, part of a registration", "/console/known-aircraft?search=n123"
    yield "known aircraft, what nobody has", "/console/known-aircraft?search=zeppelin"
    yield "known aircraft, verified ones of a state", "/console/known-aircraft?verified=true&agency_state=CA"
    for subject in ("receivers", "station", "retention", "thresholds", "channels", "health", "settings", "software"):
        yield subject, f"/console/{subject}"
    yield (
        "audit, an action from an address in a time",
        (f"/console/audit?action=login.failed&address=10.0.0.7&from={_text(FIRST.timestamp())}&to={_text(late)}"),
    )


def _text(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _time(client: TestApp, name: str, address: str) -> bool:
    client.get(address, status=200)
    spent, waited = [], []
    for _ in range(ROUNDS):
        cpu, wall = time.process_time(), time.perf_counter()
        client.get(address, status=200)
        spent.append((time.process_time() - cpu) * 1000)
        waited.append((time.perf_counter() - wall) * 1000)
    median, p95, wait = statistics.median(spent), _p95(spent), _p95(waited)
    print(f"{name:58} {median:8.1f} {p95:8.1f} {wait:8.1f}", flush=True)
    return p95 <= TARGET_MS


def _p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


def seed(engine: sa.Engine) -> None:
    """Fill the tables with statements of the database's own: rows made one by one would take minutes."""
    kind = engine.dialect.name
    at = MOMENT[kind].format(begin=int(FIRST.timestamp()), step=EVERY_S)
    true, false = ("1", "0") if kind == "sqlite" else ("true", "false")
    empty = "'{}'" if kind == "sqlite" else "'{}'::jsonb"
    after = """'{"method": "console"}'""" + ("" if kind == "sqlite" else "::jsonb")
    hexadecimal = (
        "printf('%06X', 4096 + i * 7)" if kind == "sqlite" else "upper(lpad(to_hex((4096 + i * 7)::int), 6, '0'))"
    )
    nothing = "'[]'" if kind == "sqlite" else "'[]'::jsonb"
    scopes = """'["aircraft"]'""" + ("" if kind == "sqlite" else "::jsonb")
    name = "'user' || (1000000 + i)"
    statements = (
        (
            USERS,
            "INSERT INTO users (id, username, username_key, email, email_key, email_self_given, display_name, "
            "is_active, auth_provider, preferences, created_at, updated_at) "
            f"{{series}}SELECT {FIRST_USER} + i, {name}, {name}, {name} || '@example.org', {name} || '@example.org', "
            f"{false}, 'User ' || i, CASE WHEN i % 50 = 0 THEN {false} ELSE {true} END, 'local', {empty}, {at}, {at} "
            "FROM n",
        ),
        (
            USERS,
            "INSERT INTO user_roles (user_id, role_id, source, created_at) "
            f"{{series}}SELECT {FIRST_USER} + i, (SELECT id FROM roles WHERE name = CASE WHEN i % 20000 = 0 "
            f"THEN 'admin' ELSE 'viewer' END), 'manual', {at} FROM n",
        ),
        (
            KEYS,
            "INSERT INTO api_keys (user_id, name, key_prefix, key_hash, scopes, created_at) "
            f"{{series}}SELECT {FIRST_USER} + i % {USERS}, 'key ' || i, 'sk_00000000', 'hash' || i, {scopes}, "
            f"{at} FROM n",
        ),
        (
            ENTRIES,
            "INSERT INTO audit_entries (at, action, actor_id, actor_name, method, address, target_type, target_id, "
            "target_name, after) "
            f"{{series}}SELECT {at}, CASE WHEN i % 5000 = 0 THEN 'role.changed' WHEN i % 10 < 7 THEN 'login.succeeded' "
            f"WHEN i % 10 < 9 THEN 'login.failed' ELSE 'user.changed' END, {FIRST_USER} + i % 5000, "
            "'user' || (1000000 + i % 5000), 'jwt', '10.0.' || (i / 250 % 40) || '.' || (i % 250), 'user', "
            f"CAST({FIRST_USER} + i % 5000 AS VARCHAR(64)), 'user' || (1000000 + i % 5000), {after} FROM n",
        ),
        (
            KNOWN,
            "INSERT INTO cannonball_known_aircraft (icao_hex, registration, aircraft_type, aircraft_model, "
            "agency_name, agency_type, agency_state, agency_city, source, source_url, verified, times_detected, "
            f"notes, created_at, updated_at, edited_fields, revision) {{series}}SELECT {hexadecimal}, "
            "'N' || (i % 99999), 'AS50', "
            "'Airbus AS-350', 'Sheriff of county ' || (i % 5000), CASE WHEN i % 3 = 0 THEN 'state' ELSE 'local' END, "
            f"CASE WHEN i % 4 = 0 THEN 'CA' ELSE '' END, '', 'community', '', CASE WHEN i % 3 = 0 THEN {true} "
            f"ELSE {false} END, 0, '', {at}, {at}, {nothing}, 1 FROM n",
        ),
    )
    with engine.begin() as connection:
        for count, statement in statements:
            whole = statement.replace("{series}", SERIES[kind].format(count=count))
            # psycopg reads a % as the beginning of a parameter.
            connection.exec_driver_sql(whole.replace("%", "%%") if kind == "postgresql" else whole)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
