"""What tests of accounts ask for again and again."""

import sqlalchemy as sa

from skywatch.core.database.models import AuditEntry
from tests.accounts import PASSWORD

V1 = "/api/v1"


def role_id(api, name):
    with api.runtime.sessions() as session:
        return session.scalars(sa.text("SELECT id FROM roles WHERE name = :name").bindparams(name=name)).one()


def entries(api, action=None):
    """The audit log, or what it has of one action."""
    query = sa.select(AuditEntry).order_by(AuditEntry.id)
    with api.runtime.sessions() as session:
        return session.scalars(query if action is None else query.where(AuditEntry.action == action)).all()


def code(response):
    return response.json["code"]


def login(api, name="ada", password=PASSWORD, status=200, **kw):
    return api.post_json(f"{V1}/auth/login", {"username": name, "password": password}, status=status, **kw)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}
