"""The users of an installation and what they have: ``python population.py DATABASE_URL``, the rest as JSON on stdin.

Run as a file, with ``PYTHONPATH`` naming the checkout that is measured. It prints the API keys of the users as JSON; an
administrator logs in. Each user has five alert rules, a geofence and a watch list; some aircraft of the sky are known
to Cannonball.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

RULES_EACH, FENCES_EACH = 5, 1
WATCHED = 100
FIRST_ID = 1000
NAME, PASSWORD = "whole", "a quiet night over the Jura"


def key_of(number: int) -> str:
    """The text of an API key: 48 characters after the prefix."""
    return "sk_" + hashlib.sha256(f"whole {number}".encode()).hexdigest()[:48]


def populate(url: str, centres: list[list[float]], hexes: list[str], users: int) -> dict[str, Any]:
    """Fill the tables for so many users; raises what the database raises."""
    import sqlalchemy as sa

    from benchmarks._endpoint_costs.rows import insert
    from benchmarks._known import fill_known
    from skywatch.accounts.identity.caller import CLI_CALLER
    from skywatch.accounts.keys.service import SHOWN_LENGTH
    from skywatch.accounts.models import ApiKey, Role, User, UserRole
    from skywatch.accounts.users.schemas import UserCreateFields
    from skywatch.accounts.users.service import create_user
    from skywatch.alerts.models import AlertRule, Geofence, Watchlist
    from skywatch.core.clock import utcnow
    from skywatch.core.database.engine import create_engine, create_session_factory, writing
    from skywatch.security.permissions import OPTIONAL_SCOPES, SCOPES

    engine = create_engine(url)
    sessions = create_session_factory(engine)
    with sessions() as session:
        roles = {role.name: role.id for role in session.scalars(sa.select(Role))}
    names = {
        "username": lambda n: f"user{n}",
        "username_key": lambda n: f"user{n}",
        "email": lambda n: f"user{n}@example.org",
        "email_key": lambda n: f"user{n}@example.org",
        "display_name": lambda n: f"User {n}",
    }
    insert(sessions, User, users, id=lambda n: FIRST_ID + n, **names)
    insert(sessions, UserRole, users, user_id=lambda n: FIRST_ID + n, role_id=roles["viewer"])
    insert(
        sessions, ApiKey, users, user_id=lambda n: FIRST_ID + n, key_prefix=lambda n: key_of(n)[:SHOWN_LENGTH],
        key_hash=lambda n: hashlib.sha256(key_of(n).encode()).hexdigest(), scopes=[*SCOPES, *OPTIONAL_SCOPES],
    )  # fmt: skip
    fields = UserCreateFields(username=NAME, email="whole@example.org", password=PASSWORD, roles=["superadmin"])
    with writing(sessions) as session:
        create_user(session, CLI_CALLER, fields)
    dated = {"created_at": utcnow(), "updated_at": utcnow()}
    insert(
        sessions, Geofence, users * FENCES_EACH, id=lambda n: 1 + n, user_id=lambda n: FIRST_ID + n % users,
        name=lambda n: f"Fence {n}", geometry=lambda n: _ring(n, centres[n % len(centres)]), **dated,
    )  # fmt: skip
    insert(
        sessions, Watchlist, users, id=lambda n: 1 + n, user_id=lambda n: FIRST_ID + n, name=lambda n: f"List {n}",
        entries=lambda n: "\n".join(h.upper() for h in hexes[n::users][:WATCHED]), entry_count=WATCHED, **dated,
    )  # fmt: skip
    insert(
        sessions, AlertRule, users * RULES_EACH, user_id=lambda n: FIRST_ID + n % users, name=lambda n: f"Rule {n}",
        conditions=lambda n: _conditions(n, users), visibility="private", priority="info", for_s=2.0, cooldown_s=300,
        count=None, quiet_hours=[], channels=[], **dated,
    )  # fmt: skip
    fill_known(sessions, [h.upper() for h in hexes[::50] if not h.startswith("~")])
    engine.dispose()
    return {"users": [key_of(number) for number in range(users)]}


def _conditions(number: int, users: int) -> dict[str, Any]:
    """A mixture of tests, about the callsigns of this traffic and the user's own watch list."""
    from skywatch.receivers.simulator.tables import AIRLINES

    text = json.dumps(_mixture(number)).replace("TST", AIRLINES[number % len(AIRLINES)].callsign)
    own = f'"field": "watchlist", "op": "in", "value": {1 + number % users}'
    made: dict[str, Any] = json.loads(re.sub('"field": "watchlist", "op": "in", "value": [0-9]+', own, text))
    return made


def _mixture(number: int) -> dict[str, Any]:
    """What a rule asks: altitudes, speeds, callsigns, squawks, classes, lists and geofences in many mixtures."""
    fence = {"field": "geofence", "op": "within", "value": 1 + number % 200}
    low = {"field": "alt_baro", "op": "lt", "value": 1_000 + 250 * (number % 20)}
    fast = {"field": "gs", "op": "gt", "value": 200 + number % 250}
    callsign = {"field": "flight", "op": "starts_with", "value": f"TST{number % 97}"}
    kind = {"field": "t", "op": "in", "value": ["A320", "C172"] if number % 2 else ["B738"]}
    military = {"field": "military", "op": "eq", "value": True}
    listed = {"field": "watchlist", "op": "in", "value": 1 + number % 4}
    return {
        0: {"all": [fence, low]},
        1: {"all": [fence, kind, {"not": military}]},
        2: {"all": [fast, callsign]},
        3: {"all": [listed, {"field": "alt_baro", "op": "gt", "value": 20_000 + number}]},
        4: {"all": [military, {"any": [fence, low]}]},
        5: {"all": [{"field": "geofence", "op": "enters", "value": 1 + number % 200}, kind]},
        6: {"all": [{"field": "climb_ft_min", "op": "lt", "value": -2_000 - number}, low, {"not": fence}]},
        7: {"all": [{"field": "track", "op": "ge", "value": number % 360}, fast, fence, low]},
    }[number % 8]


def _ring(number: int, centre: list[float]) -> dict[str, Any]:
    """A polygon of 60 vertices, 12 nm in radius, near a centre."""
    from benchmarks._endpoint_costs.shapes import ring

    polygon = ring(60, 0)
    lon, lat = centre[1] - 1.5 + number * 7 % 31 / 10, centre[0] - 1.0 + number * 11 % 21 / 10
    moved = [[round(x - 4 + lon, 6), round(y - 45 + lat, 6)] for x, y in polygon["coordinates"][0]]
    return {"type": "Polygon", "coordinates": [moved]}


def main() -> None:
    """Populate, and print the keys."""
    sys.path[:] = [entry for entry in sys.path if Path(entry or os.curdir).resolve() != Path(__file__).parent]
    given = json.load(sys.stdin)
    print(json.dumps(populate(sys.argv[1], given["centres"], given["hexes"], given["users"])))


if __name__ == "__main__":
    main()
