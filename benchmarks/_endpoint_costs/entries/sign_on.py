"""Single sign-on and claim mappings; the identity provider works in the same process and is counted too."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

from benchmarks._endpoint_costs.ask import API, Ask
from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, read, send
from benchmarks._endpoint_costs.installation import Installation
from skywatch.sso.models import ClaimMapping

# What takes longest to compile of what is taken.
PATTERN = r"(\pL\pN){5}N"
NOBODY = {"Authorization": ""}


def callback(installation: Installation) -> Ask:
    """A person comes back from the provider with as many groups as are looked at."""
    number = installation.number()
    installation.provider.person = {
        "sub": f"person-{number}",
        "preferred_username": f"person{number}",
        "name": "Ada",
        "groups": [f"some group {group}" for group in range(2_000)],
    }
    begun = json.loads(installation.answer("GET", Ask(f"{API}/auth/oidc/authorize", headers=NOBODY)))
    back = installation.provider.log_in(begun["authorization_url"])
    return Ask(f"{API}/auth/oidc/callback?{urlencode(back)}", headers=NOBODY)


def logout(installation: Installation) -> Ask:
    """A logout token that the provider has signed."""
    body = f"logout_token={quote(installation.provider.logout_token())}".encode()
    return Ask(
        f"{API}/auth/oidc/backchannel-logout", body, content_type="application/x-www-form-urlencoded", headers=NOBODY
    )


def forged(installation: Installation) -> Ask:
    """As long a token as is looked at."""
    body = b"logout_token=" + b"a" * 20_000 + b"." + b"b" * 20_000 + b"." + b"c" * 20_000
    return Ask(
        f"{API}/auth/oidc/backchannel-logout",
        body,
        content_type="application/x-www-form-urlencoded",
        headers=NOBODY,
        status=(400,),
    )


def mapping(number: int, name: str | None = None) -> dict[str, str]:
    """A mapping of an expression that none had before: each is compiled once."""
    made = {"claim_name": "groups", "match_type": "regex", "claim_value": f"{PATTERN}{number}", "role": "viewer"}
    return made if name is None else {**made, "name": name}


ENTRIES: Entries = {
    "GET /api/v1/auth/oidc/authorize": [read("begin", "/auth/oidc/authorize")],
    "GET /api/v1/auth/oidc/callback": [Entry("2,000 groups against all mappings", callback)],
    "POST /api/v1/auth/oidc/backchannel-logout": [
        Entry("a signed token", logout),
        Entry("a long token that is none", forged),
    ],
    "GET /api/v1/auth/oidc/providers": [read("all providers", "/auth/oidc/providers?limit=1000")],
    "GET /api/v1/oidc-mappings": [read("a page of 1,000", "/oidc-mappings?limit=1000")],
    "POST /api/v1/oidc-mappings": [
        send("a regular expression", "/oidc-mappings", lambda number: mapping(number, f"new {number}")),
    ],
    "GET /api/v1/oidc-mappings/{id}": [on_row("one", "/oidc-mappings/{id}", ClaimMapping)],
    "PATCH /api/v1/oidc-mappings/{id}": [on_row("a regular expression", "/oidc-mappings/{id}", ClaimMapping, mapping)],
    "PUT /api/v1/oidc-mappings/{id}": [
        on_row("a regular expression", "/oidc-mappings/{id}", ClaimMapping, lambda number: mapping(number, "put")),
    ],
    "DELETE /api/v1/oidc-mappings/{id}": [on_row("one", "/oidc-mappings/{id}", ClaimMapping)],
}
