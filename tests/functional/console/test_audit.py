"""The audit log as pages and as a file: order, filters, what changed, and what spreadsheets must not run."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.accounts.audit_log.service import BATCH, Search, actions
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.storage.audit import Actor, Target, record
from tests.functional.console.visitor import Visitor, populate, send

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def log(request, make_client):
    """An installation whose log has 40 entries an hour apart, on either database."""
    url = request.getfixturevalue(f"{request.param}_url")
    visitor = Visitor(make_client(environment="development", auth_mode="hybrid", database_url=url))
    visitor.people = populate(visitor.runtime, "superadmin", "admin")
    numbers = visitor.people.numbers
    rows = []
    for hour in range(40):
        who = "admin" if hour % 2 else "superadmin"
        rows.append(
            AuditEntry(
                at=NOON + timedelta(hours=hour),
                action=("login.failed", "login.succeeded", "user.changed", "login_page.seen")[hour % 4],
                actor_id=numbers[who],
                actor_name=who,
                method="jwt",
                address=f"10.0.0.{hour % 5}",
                target_type="user" if hour % 3 else "role",
                target_id=str(hour % 7),
            )
        )
    # Written in another order than they happened.
    with writing(visitor.runtime.sessions) as session:
        session.execute(sa.delete(AuditEntry))
        session.add_all(rows[20:])
        session.flush()
        session.add_all(rows[:20])
    visitor.rows = sorted(rows, key=lambda row: row.at, reverse=True)
    return visitor


def matching(log, filters):
    """The hours of what matches, read by a plain loop over all."""
    named = {"actor": lambda row, value: value in (row.actor_name.title(), str(row.actor_id), row.actor_name)}
    named["action"] = lambda row, value: row.action == value or row.action.startswith(f"{value}.")
    named["from"] = lambda row, value: row.at >= value
    named["to"] = lambda row, value: row.at < value
    return [
        row.id
        for row in log.rows
        if all(named.get(n, lambda row, v, n=n: getattr(row, n) == v)(row, v) for n, v in filters.items())
    ]


FILTERS = (
    {},
    {"action": "login"},
    {"action": "user.changed"},
    {"action": "nothing"},
    {"actor": "admin"},
    {"actor": "Admin"},
    {"actor": "1"},
    {"actor": "nobody"},
    {"address": "10.0.0.3"},
    {"target_type": "role"},
    {"target_id": "3"},
    {"target_type": "user", "target_id": "3"},
    {"from": NOON + timedelta(hours=5), "to": NOON + timedelta(hours=30)},
    {"action": "login", "actor": "admin", "from": NOON + timedelta(hours=5)},
    {"action": "login", "address": "10.0.0.1", "target_type": "user", "to": NOON + timedelta(hours=30)},
)


def test_a_search_finds_what_a_loop_over_all_would_and_no_page_leaves_any_out(log):
    with log.runtime.sessions() as session:
        for filters in FILTERS:
            wanted, search, found = matching(log, filters), Search(session, filters), []
            while page := search.page(7, found[-1] if found else None):
                found += [entry.id for entry in page]
            assert found == wanted, filters
            assert search.count(1000) == len(wanted), filters
            assert search.count(3) == min(3, len(wanted)), filters
        assert actions(session) == ["login.failed", "login.succeeded", "login_page.seen", "user.changed"]


def test_an_entry_that_is_gone_is_no_end(log):
    with log.runtime.sessions() as session:
        search = Search(session, {})
        newest = search.page(3)
        with writing(log.runtime.sessions) as other:
            other.execute(sa.delete(AuditEntry).where(AuditEntry.id == newest[-1].id))
        assert search.page(3, newest[-1].id)


def test_what_changed_is_shown_side_by_side(root):
    send(root.get(f"/users/{root.people.numbers['viewer']}/edit"), display_name="Vera")
    page = root.get("/audit?action=user.changed")
    (row,) = page.html.find("table", class_="change").tbody("tr")
    assert [cell.text for cell in row(["th", "td"])] == ["display_name", "Viewer", "Vera"]
    assert page.html.find("details", class_="filters").summary.text == "Filters: action user.changed"


def test_the_log_is_exported_whole_and_no_cell_is_a_formula(root):
    count = BATCH + 5
    with writing(root.runtime.sessions) as session:
        for number in range(count):
            record(session, Actor("=1+1", "jwt", None, "10.9.9.9"), "x.done", Target("x", number, "@a"), after={"n": 1})
    address = root.get("/audit?actor=%3D1%2B1").html.find("a", string="CSV")["href"].removeprefix("/console")
    answer = root.get(address)
    assert answer.content_type == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == count
    assert {(row["actor_name"], row["target_name"], row["after"]) for row in rows} == {("'=1+1", "'@a", '{"n": 1}')}
    assert rows[0]["at"].endswith("Z")
    lines = root.get("/audit/export?format=jsonl&actor=%3D1%2B1").text.splitlines()
    assert [json.loads(line)["target_id"] for line in lines] == [str(number) for number in reversed(range(count))]
    assert json.loads(lines[0])["actor_name"] == "=1+1"
    assert len(root.get("/audit/export?action=nothing").text.splitlines()) == 1
    for wrong in ("format=xml", "cursor=x", "unknown=1"):
        root.get(f"/audit/export?{wrong}", status=400)
