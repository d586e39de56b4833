"""Every operation x every sort of caller x every mode and level gives what the table says."""

from __future__ import annotations

import re
import time

import jwt
import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import FeatureAccessSetting, Login, User
from skywatch.core.database.engine import writing
from skywatch.http.resources.service import operations as documented
from skywatch.security.permissions import Permission, ViewPermission
from tests.accounts import Population
from tests.conftest import TEST_SECRET
from tests.functional.access.page import PATH, write
from tests.functional.access.table import COLUMNS, Row, rows
from tests.rights import ROLES, SCOPES

DEEP = pytest.mark.deep("asks every address")
DEAR = pytest.mark.dear("one column of the table shows whether an address was forgotten")
AGAIN = pytest.mark.nightly("what a role holds does not depend on mode and level")
# Who says apart what a column grants: to everybody, to an identity, to a holder, to a key of the scope.
FEW = ("nobody", "no role", "viewer", "superadmin", "key", "key for all other scopes")


def cells():
    """The columns with few callers, of which `make test` has one, and that one with all; by night all with all."""
    for column in COLUMNS:
        is_first = column == "private mode"
        yield pytest.param(column, FEW, marks=DEAR if is_first else DEEP, id=column)
        yield pytest.param(column, None, marks=DEEP if is_first else AGAIN, id=f"{column}, all callers")


def operations(client):
    return [
        (re.sub(r"\{(\w+):[^/]*\}", r"{\1}", f"{operation.method} {service.canonical}"), operation)
        for service in client.app.registry.cornice_services.values()
        for operation in documented(service)
    ]


def test_every_service_is_of_our_making_and_every_operation_has_a_permission(client):
    for service in client.app.registry.cornice_services.values():
        assert all("documentation" in arguments for _, _, arguments in service.definitions), service.name
    known = {*map(str, ViewPermission), *map(str, Permission)}
    assert [name for name, operation in operations(client) if operation.permission not in known] == []


def test_every_operation_has_exactly_one_row(client):
    table = [row.operation for row in rows()]
    assert len(table) == len(set(table))
    there = {name for name, _ in operations(client)}
    missing, left_over = sorted(there - set(table)), sorted(set(table) - there)
    assert (missing, left_over) == ([], []), "add rows to tests/functional/access, or to the SLICE of the feature"


def test_every_operation_is_in_the_manual(client):
    assert PATH.read_text(encoding="utf-8") == write(), "run `python -m tests.functional.access.page`"


def callers(people):
    """Name -> (sort of caller as a function of the row, headers as one)."""
    nothing = people.role("nothing_at_all", [])
    assert nothing
    root = people.user("owner", "superadmin")
    found = {"nobody": (lambda row: "nobody", lambda row: {})}

    def add(name, user, role=None):
        headers = people.bearer(user)
        found[name] = (lambda row: "holding" if row.holds(role) else "lacking", lambda row: headers)

    add("custom role", people.user("custom", "nothing_at_all"))
    add("no role", people.user("without"))
    for role in ROLES:
        add(role, people.user(f"the_{role}", role), role)
    keys = {scope: people.key(root, scope) for scope in SCOPES}
    others = {scope: people.key(root, *(other for other in SCOPES if other != scope)) for scope in (*SCOPES, None)}

    def sort_of_own(row):
        return "key" if row.scope else "other key"

    # A row of no scope has no key of its own.
    found["key"] = (sort_of_own, lambda row: {"X-API-Key": keys[row.scope or "aircraft"]})
    found["key by Authorization"] = (
        sort_of_own,
        lambda row: {"Authorization": f"ApiKey {keys[row.scope or 'aircraft']}"},
    )
    found["key for all other scopes"] = (lambda row: "other key", lambda row: {"X-API-Key": others[row.scope]})
    return found


def wrong_credentials(people):
    off = people.user("off", "superadmin")
    deactivated = people.bearer(off)
    deactivated_key = {"X-API-Key": people.key(off, *SCOPES)}
    ended = people.user("ended", "superadmin")
    revoked = people.bearer(ended)
    with writing(people.runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.update(User).where(User.id == off).values(is_active=False))
        session.execute(sa.update(Login).where(Login.user_id == ended).values(ended_at=sa.func.current_timestamp()))
    late = people.bearer(people.user("late", "superadmin"))["Authorization"].removeprefix("Bearer ")
    # A good token but for its end: what else is wrong with one would be refused for another reason.
    claims = jwt.decode(late, TEST_SECRET, algorithms=["HS256"]) | {"exp": int(time.time()) - 10}
    return {
        "deactivated": deactivated,
        "deactivated owner's key": deactivated_key,
        "revoked": revoked,
        "expired": {"Authorization": f"Bearer {jwt.encode(claims, TEST_SECRET, algorithm='HS256')}"},
        "malformed": {"Authorization": "Basic YWRhOmFkYQ=="},
        "unknown key": {"X-API-Key": "sk_" + "x" * 48},
    }


def ask(client, row: Row, headers):
    if row.method in ("GET", "DELETE", "HEAD"):
        return client.request(row.url, method=row.method, headers=headers, expect_errors=True).status_code
    body = b'{"no_such_field": 1}' if row.body is None else row.body
    return client.request(
        row.url,
        method=row.method,
        body=body,
        content_type=row.content_type,
        headers=headers,
        expect_errors=True,
    ).status_code


def test_there_are_as_many_sorts_of_wrong_credentials_as_columns(make_client):
    assert len(wrong_credentials(Population(make_client().runtime))) == len(COLUMNS)


@pytest.mark.parametrize(("column", "names"), cells())
def test_every_answer_is_the_one_in_the_table(make_client, column, names):
    mode, level, is_enabled = COLUMNS[column]
    client = make_client(auth_mode=mode)
    people = Population(client.runtime)
    with writing(client.runtime.sessions) as session:
        begin_change(session)
        session.execute(
            sa.update(FeatureAccessSetting).values(read_access=level, write_access=level, is_enabled=is_enabled)
        )
    everybody, wrong = callers(people), wrong_credentials(people)
    asking = {name: everybody[name] for name in names or everybody}
    faults = []
    for number, row in enumerate(rows()):
        for name, (sort, headers) in asking.items():
            says = row.expected(sort(row), column)
            statuses = row.answers if says == "ok" else (int(says),)
            got = ask(client, row, headers(row))
            if got not in statuses:
                faults.append(f"{row.operation} as {name}: {got}, the table says {statuses}")
        # Each operation gets each sort of wrong credentials in one of the columns.
        name = list(wrong)[(number + list(COLUMNS).index(column)) % len(wrong)]
        got = ask(client, row, wrong[name])
        statuses = (401,) if row.reads_credentials else row.answers
        if got not in statuses:
            faults.append(f"{row.operation} with credentials {name}: {got}, the table says {statuses}")
    assert faults == []
