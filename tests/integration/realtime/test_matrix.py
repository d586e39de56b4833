"""Seven topics by role, key scope, mode and access setting, as the table ``tests.rights`` says."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from skywatch.features import FEATURES
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.security.contexts import DEFAULT_ACCESS, FeatureAccess
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission, default_permissions
from skywatch.security.visibility import visibility_of
from tests.realtime import FakeAccounts, connected, serving
from tests.rights import LEVELS, MODES, ROLES, granted_to, holds, lets_in
from tests.rights import SCOPES as ALL_SCOPES

# The topics and their permissions, as the specification has them; the feature is what stands before the dot.
NEEDS = {
    "aircraft": "aircraft.view",
    "military": "aircraft.view_military",
    "alerts": "alerts.view",
    "safety": "safety.view",
    "acars": "acars.view",
    "audio": "audio.view",
    "system": "system.view_status",
}
TOPICS = list(NEEDS)
ROLES_OR_NONE = [None, "nothing", *ROLES]  # None: anonymous; nothing: an account without any role
SCOPES = [scope for scope in ALL_SCOPES if scope != "cannonball"]


def allowed(topic: str, role: str | None, scopes: frozenset[str] | None, mode: str, level: str, enabled: bool) -> bool:
    """The table's words, for one case."""
    needs = NEEDS[topic]
    if scopes is not None and needs.partition(".")[0] not in scopes:
        return False
    caller = "nobody" if role is None else "holding" if holds(role, needs) else "lacking"
    return lets_in(granted_to(needs, mode, level, "permission", enabled=enabled), caller)


def identity(role: str | None, scopes: frozenset[str] | None) -> Identity | None:
    if role is None:
        return None
    permissions: frozenset[Permission] = default_permissions(role) if role in ROLES else frozenset()
    return Identity(1, "somebody", "jwt" if scopes is None else "api_key", permissions, scopes=scopes)


CASES = list(itertools.product(MODES, LEVELS, [True, False]))


@pytest.mark.parametrize(("mode", "level", "enabled"), CASES)
def test_the_policy_opens_exactly_the_topics_of_the_table(mode, level, enabled):
    keys = [None, *(frozenset({scope}) for scope in SCOPES), frozenset(SCOPES), frozenset()]
    for role, scopes in itertools.product(ROLES_OR_NONE, keys):
        if role is None and scopes is not None:
            continue
        visibility = visibility_of(
            identity(role, scopes), mode, lambda feature: FeatureAccess(level, "permission", enabled)
        )
        expected = {t for t in TOPICS if allowed(t, role, scopes, mode, level, enabled)}
        assert set(TopicTable(FEATURES).open_to(visibility)) == expected, (mode, level, enabled, role, scopes)
        assert visibility.military == ("military" in expected)


@pytest.mark.parametrize("mode", MODES)
def test_the_server_joins_and_denies_as_the_table_says(make_runtime, mode):
    """The same table through real sockets, with the access settings of a fresh installation."""

    async def scenario():
        accounts = FakeAccounts()
        cases: dict[str | None, tuple[str | None, frozenset[str] | None]] = {None: (None, None)}
        for number, role in enumerate(ROLES):
            for scopes in (None, *(frozenset({scope}) for scope in SCOPES)):
                token = f"{role} {sorted(scopes) if scopes else ''}"
                accounts.add(token, role, number * 10 + len(cases), scopes)
                cases[token] = (role, scopes)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode=mode, realtime_connections_per_address=1000)
        async with serving(runtime, accounts) as server:
            for token, (role, scopes) in cases.items():
                level = DEFAULT_ACCESS["aircraft"].read_access
                expected = {t for t in TOPICS if allowed(t, role, scopes, mode, level, True)}
                async with connected(server, token, greet=bool(expected)) as client:
                    if expected:
                        answer = await client.subscribe(*TOPICS)
                        assert (set(answer["joined"]), set(answer["denied"])) == (expected, set(TOPICS) - expected)
                    else:
                        await client.send(type="connect", **({"auth": {"token": token}} if token else {}))
                        code = 4001 if token is None and mode == "private" else 4003
                        assert (await client.closed())[0] == code

    asyncio.run(scenario())
