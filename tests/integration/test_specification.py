"""The service's specification, row by row, by somebody outside who has nothing but an address and passwords.

The rows below are the specification's: resources, states, endpoints, methods and settings of authentication, roles,
topics, errors and limits. What it leaves open is tested elsewhere.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import websockets

from skywatch.core.clock import to_iso, utcnow
from tests.accounts import PASSWORD
from tests.processes import Service, run_command
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.timeout(300)
V1 = "/api/v1"
CANNONBALL = f"{V1}/cannonball"
ROLES = {"viewer": 10, "operator": 20, "analyst": 30, "admin": 40, "superadmin": 100}
SCOPES = ("aircraft", "alerts", "safety", "audio", "acars", "history", "system")
UNLIMITED = {f"default_throttle_rates__{bucket}": "1000000/minute" for bucket in ("user", "login", "refresh")}

# Members of each resource.
USER = "id username email display_name permissions roles"
ROLE = "name display_name description permissions priority"
ASSIGNMENT = "user role expires_at"
KEY = "name scopes expires_at"
ACCESS = "read_access write_access is_enabled"
MAPPING = "name claim_name match_type claim_value role priority is_active"
KNOWN = (
    "id icao_hex registration aircraft_type aircraft_model agency_name agency_type agency_state agency_city source "
    "source_url verified verified_at times_detected last_detected notes created_at updated_at"
)
ALERT = (
    "id session session_icao session_callsign alert_type priority title message aircraft_lat aircraft_lon "
    "aircraft_altitude user_lat user_lon distance_nm bearing pattern notified announced acknowledged acknowledged_at "
    "created_at"
)
SESSION = (
    "id icao_hex callsign is_active threat_level urgency_score distance_nm bearing closing_speed_kts last_seen "
    "pattern_count alert_count"
)

# Endpoint, what an anonymous caller gets in mode hybrid, what a superadmin gets, members of the answer. {} are ids.
ENDPOINTS = """
GET    /api/v1/auth/config                                   200 200 auth_mode features
POST   /api/v1/auth/login                                    400 400
POST   /api/v1/auth/logout                                   401 -
POST   /api/v1/auth/refresh                                  400 400
GET    /api/v1/auth/profile                                  401 200 id username email display_name permissions roles
PATCH  /api/v1/auth/profile                                  401 200 id username
POST   /api/v1/auth/password                                 401 400
GET    /api/v1/auth/oidc/authorize                           403 403
GET    /api/v1/auth/oidc/callback                            403 403
GET    /api/v1/auth/permissions                              200 200 permissions count
GET    /api/v1/auth/my-permissions                           401 200 permissions
GET    /api/v1/users                                         401 200 users count
POST   /api/v1/users                                         401 400
GET    /api/v1/users/{user}                                  401 200 id username roles
PATCH  /api/v1/users/{user}                                  401 200 id username
GET    /api/v1/roles                                         401 200 roles count
POST   /api/v1/roles                                         401 400
GET    /api/v1/roles/{role}                                  401 200 name display_name description permissions priority
PATCH  /api/v1/roles/{role}                                  401 200 name
POST   /api/v1/user-roles                                    401 400
PATCH  /api/v1/feature-access/aircraft                       401 200 read_access write_access is_enabled
GET    /api/v1/api-keys                                      401 200 count
POST   /api/v1/api-keys                                      401 400
POST   /api/v1/auth/api-keys                                 401 400
GET    /api/v1/cannonball/known-aircraft/                    401 200 aircraft count verified_count
GET    /api/v1/cannonball/known-aircraft/check/A68A37/       401 200 found icao_hex
GET    /api/v1/cannonball/known-aircraft/stats/              401 200 total verified by_agency_type by_state
POST   /api/v1/cannonball/alerts/999999/acknowledge/         401 404
GET    /api/v1/cannonball/sessions/active/                   401 200 sessions count
"""
# The operation and the permission that it needs.
PERMISSIONS = """
GET    /api/v1/users        users.view
POST   /api/v1/users        users.create
GET    /api/v1/users/{user} users.view
PATCH  /api/v1/users/{user} users.edit
DELETE /api/v1/users/{user} users.delete
GET    /api/v1/roles        roles.view
POST   /api/v1/roles        roles.create
GET    /api/v1/roles/{role} roles.view
PATCH  /api/v1/roles/{role} roles.edit
DELETE /api/v1/roles/{role} roles.delete
"""
NAMED = (
    "aircraft.view aircraft.view_military aircraft.view_details alerts.view alerts.create alerts.edit alerts.delete "
    "alerts.manage_all safety.view safety.acknowledge safety.manage audio.view audio.transcribe acars.view "
    "history.export system.view_status users.view users.create users.edit users.delete roles.view roles.create "
    "roles.edit roles.delete"
)
MATRIX = """
aircraft.view           Yes Yes Yes Yes Yes
aircraft.view_military  No  No  Yes Yes Yes
alerts.view             Yes Yes Yes Yes Yes
alerts.create           No  Yes Yes Yes Yes
alerts.manage_all       No  No  No  Yes Yes
safety.acknowledge      No  Yes Yes Yes Yes
audio.transcribe        No  No  Yes Yes Yes
history.export          No  No  Yes Yes Yes
users.view              No  No  No  Yes Yes
users.create            No  No  No  No  Yes
roles.edit              No  No  No  No  Yes
"""
# Settings and their defaults; - is none. Each may stand in the environment too, in upper case.
SETTINGS = """
auth_mode                         hybrid
local_auth_enabled                true
api_key_enabled                   true
jwt_secret_key                    -
jwt_access_token_lifetime_minutes 60
jwt_refresh_token_lifetime_days   2
jwt_auth_cookie                   false
oidc_enabled                      false
oidc_provider_url                 -
oidc_client_id                    -
oidc_client_secret                -
oidc_provider_name                SSO
oidc_scopes                       openid profile email groups
oidc_default_role                 viewer
oidc_allow_email_linking          false
cors_allow_all_origins            false
cors_allow_credentials            false
cors_allowed_origins              -
default_throttle_rates.anon       100/minute
default_throttle_rates.user       1000/minute
"""
TOPICS = {
    "aircraft": "aircraft.view",
    "military": "aircraft.view_military",
    "alerts": "alerts.view",
    "safety": "safety.view",
    "acars": "acars.view",
    "audio": "audio.view",
    "system": "system.view_status",
}


class Outside:
    """A service, and those who call it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=PATIENCE_S)
        self._logins: dict[str, dict[str, Any]] = {}

    def call(
        self, method: str, path: str, who: str | dict[str, str] | None = None, status: int = 200, body: Any = None
    ) -> Any:
        """The JSON of an answer, whose status is as expected; ``who`` is a user or headers."""
        headers = self.bearer(who) if isinstance(who, str) else who or {}
        body = {} if body is None and method in ("POST", "PATCH") else body
        options = {} if body is None else {"json": body}
        answer = self.http.request(method, path, headers=headers, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer.json() if answer.content else None

    def login(self, name: str, password: str = PASSWORD, status: int = 200) -> dict[str, Any]:
        """A new login."""
        body = {"username": name, "password": password}
        answer: dict[str, Any] = self.call("POST", f"{V1}/auth/login", status=status, body=body)
        return answer

    def bearer(self, name: str) -> dict[str, str]:
        """The header of a user's login."""
        if name not in self._logins:
            self._logins[name] = self.login(name)
        return bearer(self._logins[name]["access"])

    def user(self, name: str, *roles: str) -> int:
        """A new user's number."""
        body = {"username": name, "password": PASSWORD, "roles": list(roles)}
        return int(self.call("POST", f"{V1}/users", "superadmin", 201, body)["id"])

    def key(self, who: str, *scopes: str) -> str:
        """A new key of a user."""
        body = {"name": "a key", "scopes": list(scopes)}
        return str(self.call("POST", f"{V1}/api-keys", who, 201, body)["key"])

    def access(self, feature: str, **values: Any) -> Any:
        """Change an access setting."""
        return self.call("PATCH", f"{V1}/feature-access/{feature}", "superadmin", body=values)

    def connect(self, auth: dict[str, Any] | None, query: str = "") -> tuple[dict[str, Any], set[str], int | None]:
        """The first answer of the channel, the topics joined of all seven, and the code of its close."""
        return asyncio.run(self._connect(auth, query))

    async def _connect(self, auth: dict[str, Any] | None, query: str) -> tuple[dict[str, Any], set[str], int | None]:
        url = f"ws://127.0.0.1:{self.service.realtime_port}/ws{query}"
        async with websockets.connect(url, proxy=None, open_timeout=PATIENCE_S) as socket:
            if not query:
                await socket.send(json.dumps({"type": "connect", **({"auth": auth} if auth else {})}))
            else:
                await socket.send(json.dumps({"type": "connect"}))
            first = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S))
            if first["type"] != "connected":
                await asyncio.wait_for(socket.wait_closed(), PATIENCE_S)
                return first, set(), socket.close_code
            await socket.send(json.dumps({"type": "subscribe", "topics": list(TOPICS)}))
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S))
                if message["type"] == "subscribed":
                    return first, set(message["joined"]), None


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def members(answer: dict[str, Any], names: str) -> None:
    """Fails unless an answer has all these members."""
    assert set(names.split()) - set(answer) == set()


def rows(table: str, columns: int) -> list[list[str]]:
    return [line.split(None, columns - 1) for line in table.strip().splitlines()]


def start(folder: Any, mode: str, **settings: Any) -> Outside:
    service = Service(
        folder,
        auth_mode=mode,
        # All of them within the largest radius of a location.
        receiver__demo="simulate aircraft=40 radius_nm=90",
        station_lat=47.45,
        station_lon=8.56,
        **settings,
    ).init()
    for role in ROLES:
        service.add_user(role, role)
    service.start(wait=False)
    outside = Outside(service)

    def answers() -> bool:
        try:
            return bool(outside.http.get(f"{V1}/system/health?probe=live").status_code == 200)
        except httpx.TransportError:
            return False

    until(answers, "the service")
    return outside


@pytest.fixture(scope="module")
def sky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    outside = start(tmp_path_factory.mktemp("specification"), "hybrid", **UNLIMITED)
    headers = outside.bearer("superadmin")
    until(lambda: outside.http.get(f"{V1}/aircraft", headers=headers).status_code == 200, "the tracker's first picture")
    yield outside
    outside.http.close()
    outside.service.stop()


@pytest.fixture(scope="module")
def ids(sky: Outside) -> dict[str, int]:
    role = sky.call("POST", f"{V1}/roles", "superadmin", 201, {"name": "sample", "permissions": []})
    return {"user": sky.user("sample"), "role": role["id"]}


@pytest.mark.parametrize("row", rows(ENDPOINTS, 5), ids=lambda row: f"{row[0]} {row[1]}")
def test_endpoints(sky: Outside, ids: dict[str, int], row: list[str]) -> None:
    method, path, anonymous, superadmin, *names = row
    path = path.format(**ids)
    sky.call(method, path, status=int(anonymous))
    if superadmin != "-":
        answer = sky.call(method, path, "superadmin", int(superadmin))
        members(answer, " ".join(names))
    # The same with and without a trailing slash.
    other = path.rstrip("/") if path.endswith("/") else f"{path}/"
    sky.call(method, other, status=int(anonymous))


@pytest.mark.parametrize("row", rows(PERMISSIONS, 3), ids=lambda row: f"{row[0]} {row[1]}")
def test_permissions_of_users_and_roles(sky: Outside, ids: dict[str, int], row: list[str]) -> None:
    method, path, permission = row
    name = f"{permission.replace('.', '_')}_{method.lower()}_{'one' if '{' in path else 'all'}"
    body = {"name": name, "permissions": [permission]}
    sky.call("POST", f"{V1}/roles", "superadmin", 201, body)
    sky.user(f"has-{name}".replace("_", "-"), name)
    everything_else = [p["name"] for p in sky.call("GET", f"{V1}/auth/permissions")["permissions"]]
    everything_else = [p for p in everything_else if p != permission]
    sky.call("POST", f"{V1}/roles", "superadmin", 201, {"name": f"no_{name}", "permissions": everything_else})
    sky.user(f"lacks-{name}".replace("_", "-"), f"no_{name}")
    victim = {
        "user": sky.user(f"victim-{name}".replace("_", "-")),
        "role": sky.call("POST", f"{V1}/roles", "superadmin", 201, {"name": f"victim_{name}"})["id"],
    }
    address = path.format(**victim)
    denied = sky.call(method, address, f"lacks-{name}".replace("_", "-"), 403)
    assert denied["code"] == "permission_denied"
    status = {"POST": 400, "DELETE": 204}.get(method, 200)
    sky.call(method, address, f"has-{name}".replace("_", "-"), status)


@pytest.mark.parametrize("row", rows(MATRIX, 6), ids=lambda row: row[0])
def test_default_roles(sky: Outside, row: list[str]) -> None:
    permission, *cells = row
    for role, cell in zip(ROLES, cells, strict=True):
        held = sky.call("GET", f"{V1}/auth/my-permissions", role)["permissions"]
        assert (permission in held) == (cell == "Yes"), role


def test_permissions_that_are_named_exist_and_roles_have_their_priorities(sky: Outside) -> None:
    known = {p["name"] for p in sky.call("GET", f"{V1}/auth/permissions")["permissions"]}
    assert set(NAMED.split()) - known == set()
    roles = sky.call("GET", f"{V1}/roles", "superadmin")["roles"]
    members(roles[0], ROLE)
    assert {r["name"]: r["priority"] for r in roles if r["name"] in ROLES} == ROLES


def test_login_tokens_and_their_rotation(sky: Outside) -> None:
    sky.user("rotating", "viewer")
    first = sky.login("rotating")
    assert set(first) == {"access", "refresh", "user"}
    members(first["user"], USER)
    head, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in first["access"].split(".")[:2])
    assert head["alg"] == "HS256"
    assert claims["token_type"] == "access"
    assert claims["user_id"] == first["user"]["id"]
    assert claims["jti"]
    now = utcnow().timestamp()
    assert abs(claims["exp"] - now - 3600) < 120
    refresh = json.loads(base64.urlsafe_b64decode(first["refresh"].split(".")[1] + "=="))
    assert abs(refresh["exp"] - now - 2 * 86400) < 120
    second = sky.call("POST", f"{V1}/auth/refresh", body={"refresh": first["refresh"]})
    assert set(second) == {"access", "refresh"}
    sky.call("POST", f"{V1}/auth/refresh", status=401, body={"refresh": first["refresh"]})
    sky.call("GET", f"{V1}/auth/profile", bearer(second["access"]))
    sky.call("POST", f"{V1}/auth/logout", bearer(second["access"]), body={"refresh": second["refresh"]})
    sky.call("POST", f"{V1}/auth/refresh", status=401, body={"refresh": second["refresh"]})
    sky.login("rotating", "a wrong password", 401)


def test_api_keys(sky: Outside) -> None:
    for path in (f"{V1}/api-keys", f"{V1}/auth/api-keys"):
        made = sky.call("POST", path, "viewer", 201, {"name": "phone", "scopes": list(SCOPES)})
        members(made, f"{KEY} key")
        assert re.fullmatch(r"sk_[A-Za-z0-9]+", made["key"])
    listed = sky.call("GET", f"{V1}/api-keys", "viewer")["api_keys"]
    assert all("key" not in each for each in listed)
    for headers in ({"Authorization": f"ApiKey {made['key']}"}, {"X-API-Key": made["key"]}):
        sky.call("GET", f"{V1}/aircraft", headers)
    assert sky.call("GET", f"{V1}/aircraft?api_key={made['key']}", status=401)["code"] == "token_invalid"
    sky.call("DELETE", f"{V1}/api-keys/{made['id']}", "viewer", 204)
    sky.call("GET", f"{V1}/aircraft", {"X-API-Key": made["key"]}, 401)
    later = to_iso((utcnow() + timedelta(days=400)).replace(microsecond=0))
    body = {"name": "years", "scopes": ["aircraft"], "expires_at": later}
    assert sky.call("POST", f"{V1}/api-keys", "viewer", 201, body)["expires_at"] == later


@pytest.mark.parametrize("scope", SCOPES)
def test_scopes(sky: Outside, scope: str) -> None:
    key = {"X-API-Key": sky.key("superadmin", scope)}
    for area in SCOPES:
        for path, there in ((f"{V1}/{area}", 200), (f"{V1}/{area}/nothing/here", 404)):
            answer = sky.call("GET", path, key, there if area == scope else 403)
            assert area == scope or answer["code"] == "scope_denied"
    assert sky.call("GET", f"{V1}/auth/profile", key)["username"] == "superadmin"


def test_assignments_for_a_time(sky: Outside) -> None:
    roles = {r["name"]: r["id"] for r in sky.call("GET", f"{V1}/roles", "superadmin")["roles"]}

    def assign(name: str, seconds: float) -> None:
        body = {"user": sky.user(name), "role": roles["viewer"]}
        sky.bearer(name)
        body["expires_at"] = to_iso(utcnow() + timedelta(seconds=seconds))
        members(sky.call("POST", f"{V1}/user-roles", "superadmin", 201, body), ASSIGNMENT)

    def held(name: str) -> list[str]:
        permissions: list[str] = sky.call("GET", f"{V1}/auth/my-permissions", name)["permissions"]
        return permissions

    # A busy machine may ask for the first time when the shorter of the two is over.
    assign("temporary", 3600)
    assert "aircraft.view" in held("temporary")
    assign("brief", 5)
    until(lambda: held("brief") == [], "the end of the assignment", every_s=0.2)
    assert "aircraft.view" in held("temporary")


def test_claim_mappings(sky: Outside) -> None:
    for match_type in ("exact", "contains", "regex"):
        body = {
            "name": match_type,
            "claim_name": "groups",
            "match_type": match_type,
            "claim_value": "pilots",
            "role": "viewer",
            "priority": 10,
            "is_active": True,
        }
        members(sky.call("POST", f"{V1}/oidc-mappings", "superadmin", 201, body), MAPPING)


@pytest.mark.parametrize("level", ["public", "authenticated", "permission"])
def test_feature_access_levels(sky: Outside, level: str) -> None:
    nobody = f"no-role-{level}"
    sky.user(nobody)
    members(sky.access("acars", read_access=level), ACCESS)
    try:
        sky.call("GET", f"{V1}/acars/messages", status=200 if level == "public" else 401)
        sky.call("GET", f"{V1}/acars/messages", nobody, 403 if level == "permission" else 200)
        sky.call("GET", f"{V1}/acars/messages", "viewer")
        sky.access("acars", is_enabled=False)
        for who in (None, "superadmin"):
            assert sky.call("GET", f"{V1}/acars/messages", who, 403)["code"] == "feature_disabled"
    finally:
        sky.access("acars", read_access="authenticated", is_enabled=True)


def test_errors(sky: Outside) -> None:
    for header in ("Bearer nonsense", "Basic YTpi", "nonsense"):
        sky.call("GET", f"{V1}/aircraft", {"Authorization": header}, 401)
    number = sky.user("leaving", "viewer")
    token = sky.bearer("leaving")
    sky.call("PATCH", f"{V1}/users/{number}", "superadmin", body={"is_active": False})
    sky.call("GET", f"{V1}/aircraft", token, 401)
    assert sky.call("POST", f"{CANNONBALL}/alerts/999/acknowledge/", "viewer", 404)["code"] == "not_found"


def test_cannonball(sky: Outside) -> None:
    def five_with_positions() -> list[Any]:
        found = sky.call("GET", f"{V1}/aircraft?limit=40", "superadmin")["aircraft"]
        # The viewer of below sees no military ones.
        placed = [a for a in found if "lat" in a and not a["military"]][:5]
        return placed if len(placed) == 5 else []

    placed = until(five_with_positions, "five aircraft with positions")
    for each in placed:
        body = {
            "icao_hex": each["hex"],
            "agency_name": "California Highway Patrol",
            "agency_type": "state",
            "agency_state": "CA",
            "source": "research",
        }
        entry = sky.call("POST", f"{CANNONBALL}/known-aircraft/", "superadmin", 201, body)
        members(entry, KNOWN)
    code = placed[0]["hex"]
    check = sky.call("GET", f"{CANNONBALL}/known-aircraft/check/{code}/", "viewer")
    assert (check["found"], check["aircraft"]["icao_hex"]) == (True, code.upper())
    assert sky.call("GET", f"{CANNONBALL}/known-aircraft/check/nothing/", "viewer")["found"] is False
    for query, count in (
        (f"search={code}", 1),
        ("search=highway", 5),
        ("agency_type=state", 5),
        ("agency_type=federal", 0),
        ("agency_state=CA", 5),
        ("agency_state=TX", 0),
        ("verified=true", 0),
        ("verified=false", 5),
        ("source=research", 5),
        ("source=faa", 0),
    ):
        answer = sky.call("GET", f"{CANNONBALL}/known-aircraft/?{query}", "viewer")
        assert (answer["count"], len(answer["aircraft"]), answer["verified_count"]) == (count, count, 0), query
    stats = sky.call("GET", f"{CANNONBALL}/known-aircraft/stats/", "viewer")
    assert (stats["total"], stats["by_agency_type"]["state"], stats["by_state"]) == (5, 5, {"CA": 5})
    sky.call("PUT", f"{CANNONBALL}/location/", "viewer", body={"lat": 47.45, "lon": 8.56, "radius_nm": 100})
    sessions = until(
        lambda: sky.call("GET", f"{CANNONBALL}/sessions/active/", "viewer")["sessions"], "a session", every_s=0.3
    )
    members(sessions[0], SESSION)
    assert all(s["is_active"] and 0 <= s["urgency_score"] <= 100 for s in sessions)
    alerts = until(lambda: sky.call("GET", f"{CANNONBALL}/alerts/", "viewer")["alerts"], "an alert", every_s=0.3)
    assert alerts[0]["acknowledged"] is False
    path = f"{CANNONBALL}/alerts/{alerts[0]['id']}/acknowledge/"
    done = sky.call("POST", path, "viewer")
    members(done, ALERT)
    assert done["acknowledged"] is True
    assert done["acknowledged_at"] is not None
    sky.call("POST", path, status=401)
    # Nobody tracks any more: the sessions are over, and listed no longer.
    sky.call("DELETE", f"{CANNONBALL}/location/", "viewer", 204)
    until(
        lambda: sky.call("GET", f"{CANNONBALL}/sessions/active/", "viewer")["count"] == 0,
        "the end of the sessions",
        every_s=0.3,
    )


@pytest.mark.parametrize("role", [None, *ROLES])
def test_topics(sky: Outside, role: str | None) -> None:
    sky.access("aircraft", read_access="permission")
    try:
        if role is None:
            first, joined, close = sky.connect(None)
            assert first["type"] != "connected"
            assert joined == set()
            assert close is not None
            return
        held = set(sky.call("GET", f"{V1}/auth/my-permissions", role)["permissions"])
        expected = {topic for topic, permission in TOPICS.items() if permission in held}
        token = sky.bearer(role)["Authorization"].removeprefix("Bearer ")
        assert sky.connect({"token": token})[1] == expected
        assert sky.connect(None, f"?token={token}")[1] == expected
        key = sky.key(role, "aircraft")
        assert sky.connect({"token": key})[1] == expected & {"aircraft", "military"}
    finally:
        sky.access("aircraft", read_access="authenticated")


def test_refused_connections(sky: Outside) -> None:
    for token in ("nonsense", "sk_nonsense"):
        first, _, close = sky.connect({"token": token})
        assert (first["message"], close) == ("Authentication failed", 4001)
    first, _, close = sky.connect({"token": sky.key("viewer", "history")})
    assert first["message"] == "Permission denied"
    assert close is not None


def test_settings_and_their_defaults(tmp_path: Any) -> None:
    ini = tmp_path / "skywatch.ini"
    ini.write_text("[app:main]\nuse = egg:skywatch\nenvironment = development\n", encoding="utf-8")
    shown = [line.rsplit("  (", 1)[0] for line in run_command("settings", str(ini)).stdout.splitlines()]
    values = {name: " ".join(value) for name, *value in (line.split() for line in shown if line.strip())}
    for name, default in rows(SETTINGS, 2):
        assert values[name] in (default, "" if default == "-" else default), name
    done = run_command("settings", str(ini), AUTH_MODE="private", JWT_ACCESS_TOKEN_LIFETIME_MINUTES="5")
    assert re.search(r"^auth_mode +private ", done.stdout, re.MULTILINE)
    assert re.search(r"^jwt_access_token_lifetime_minutes +5 ", done.stdout, re.MULTILINE)


def test_tokens_in_cookies(tmp_path: Any) -> None:
    outside = start(tmp_path, "hybrid", jwt_auth_cookie="true", **UNLIMITED)
    try:
        outside.login("viewer")
        cookies = [cookie.name for cookie in outside.http.cookies.jar if cookie.has_nonstandard_attr("HttpOnly")]
        assert sorted(cookies) == ["skywatch_access", "skywatch_refresh"]
        assert outside.http.get(f"{V1}/auth/profile").json()["username"] == "viewer"
        assert outside.http.post(f"{V1}/auth/refresh", json={}).status_code == 200
        foreign = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        assert outside.http.post(f"{V1}/auth/refresh", json={}, headers=foreign).status_code == 403
    finally:
        outside.http.close()
        outside.service.stop()


@pytest.mark.parametrize("mode", ["public", "private"])
def test_modes(tmp_path: Any, mode: str) -> None:
    outside = start(tmp_path, mode, default_throttle_rates__anon="100/minute")
    try:
        status = 200 if mode == "public" else 401
        until(lambda: outside.http.get(f"{V1}/aircraft").status_code != 503, "a picture", every_s=0.5)
        for area in SCOPES:
            outside.call("GET", f"{V1}/{area}", status=status)
        for path in ("users", "roles", "api-keys", "feature-access", "auth/profile"):
            outside.call("GET", f"{V1}/{path}", status=401)
        config = outside.call("GET", f"{V1}/auth/config")
        assert config["auth_mode"] == mode
        # The limits, of which every answer says the one that applies.
        limit = outside.http.get(f"{V1}/aircraft").headers["X-RateLimit-Limit"]
        assert limit == "100"
        headers = outside.bearer("viewer")
        assert outside.http.get(f"{V1}/aircraft", headers=headers).headers["X-RateLimit-Limit"] == "1000"
        for path, left in (("login", 4), ("refresh", 5)):
            answers = [outside.http.post(f"{V1}/auth/{path}", json={}).status_code for _ in range(left + 1)]
            assert answers == [400] * left + [429]
        # The window of a minute may end meanwhile.
        for _ in range(300):
            answer = outside.http.get(f"{V1}/aircraft")
            if answer.status_code == 429:
                break
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 0
    finally:
        outside.http.close()
        outside.service.stop()
