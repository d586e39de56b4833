"""An installation with one user, for the benchmarks that are about who asks."""

from __future__ import annotations

from skywatch.accounts.defaults import install
from skywatch.accounts.identity.caller import CLI_CALLER, Caller
from skywatch.accounts.identity.tokens import TokenCodec
from skywatch.accounts.keys.service import create_key
from skywatch.accounts.login_tokens import start_login
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.accounts.users.service import create_user
from skywatch.core.database.engine import writing
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor

NAME, PASSWORD = "bench", "a quiet night over the Jura"


def populate(runtime: Runtime, role: str = "viewer") -> dict[str, str]:
    """Create the schema and a user of a role; the header line of each credential by its name."""
    upgrade(runtime.engine)
    with writing(runtime.sessions) as session:
        install(session)
        fields = UserCreateFields(username=NAME, email="bench@example.org", password=PASSWORD, roles=[role])
        user = create_user(session, CLI_CALLER, fields)
        actor = Actor(NAME, "jwt", user.id, "127.0.0.1")
        pair = start_login(session, TokenCodec(runtime.settings), user, "password", actor)
        _, key = create_key(session, Caller(actor), "bench", ["aircraft"], None)
    return {"JWT": f"Authorization: Bearer {pair.access}", "API key": f"X-API-Key: {key}"}
