"""What the tests of single sign-on do again and again."""

import secrets

import sqlalchemy as sa
from joserfc.jwk import RSAKey

from skywatch.core.database.models import AuditEntry
from tests.providers import CLIENT_ID, CLIENT_SECRET

AUTHORIZE, CALLBACK = "/api/v1/auth/oidc/authorize", "/api/v1/auth/oidc/callback"


def settings_for(provider, **more):
    return {
        "auth_mode": "hybrid",
        # In production cookies are for https only, which these requests are not.
        "environment": "development",
        "oidc_enabled": "true",
        "oidc_provider_url": provider.url,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        **more,
    }


def begin(api, **query):
    return api.get(AUTHORIZE, query).json


def finish(api, answer, status=200, **kw):
    return api.get(CALLBACK, answer, status=status, **kw)


def sign_on(api, status=200, **query):
    """A whole sign-on in one browser."""
    return finish(api, api.provider.log_in(begin(api, **query)["authorization_url"]), status).json


def bearer(answer):
    return {"Authorization": f"Bearer {answer['access']}"}


def audit(api, action):
    with api.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def add_mapping(api, role, claim_value, claim_name="groups", match_type="exact", status=201, who=None, **more):
    headers = who or api.people.bearer(api.people.user(f"root_{secrets.token_hex(3)}", "superadmin"))
    body = {"name": f"{role} for {claim_value}"[:120], "claim_name": claim_name, "match_type": match_type}
    body |= {"claim_value": claim_value, "role": role, **more}
    return api.post_json("/api/v1/oidc-mappings", body, headers=headers, status=status).json


def other_key(provider):
    def sign(claims):
        return provider.signed(claims, RSAKey.generate_key(2048))

    return sign


def unknown_key(provider):
    return lambda claims: provider.signed(claims, RSAKey.generate_key(2048), kid="unheard of")


def back_channel(api, token, status=200):
    return api.post("/api/v1/auth/oidc/backchannel-logout", {"logout_token": token}, status=status).json
