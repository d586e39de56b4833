"""Looking for receivers from the console: for whom, how often, what is shown and what the audit log keeps."""

from datetime import timedelta
from ipaddress import IPv4Address, IPv4Interface

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.core.clock import utcnow
from skywatch.core.database.models import AuditEntry
from skywatch.core.network import interfaces
from skywatch.core.network.interfaces import Interface
from skywatch.receivers.discovery import probes
from skywatch.receivers.discovery.probes import Finding, Round
from tests.functional.console.visitor import ORIGIN, alert, main_form, populate


@pytest.fixture
def asked(monkeypatch):
    """What was asked; one host answers."""
    rounds = []

    async def ask(hosts, own_doors):
        rounds.append(hosts)
        return Round([Finding("beast", IPv4Address("192.168.1.7"), 30005)] if hosts else [], len(hosts), len(hosts))

    monkeypatch.setattr(probes, "ask", ask)
    own = [
        Interface("eth0", IPv4Interface("192.168.1.20/24"), False),
        Interface("wan0", IPv4Interface("203.0.113.5/24"), False),
        Interface("docker0", IPv4Interface("172.17.0.1/16"), True),
    ]
    monkeypatch.setattr(interfaces, "own_interfaces", lambda: own)
    return rounds


@pytest.fixture
def root(make_visitor):
    found = make_visitor(auth_mode="hybrid")
    found.people = populate(found.runtime, "admin", "superadmin")
    found.sign_in("superadmin")
    return found


def look(visitor, path="/receivers/discovery", status=200):
    return main_form(visitor.get(path)).submit(headers=ORIGIN, status=status)


def entries(visitor, prefix="receivers."):
    with visitor.runtime.sessions() as session:
        rows = session.scalars(
            sa.select(AuditEntry).where(AuditEntry.action.startswith(prefix)).order_by(AuditEntry.id)
        )
        return [(entry.action, entry.actor_name, entry.after) for entry in rows]


def later(**by):
    return time_machine.travel(utcnow() + timedelta(**by))


def test_what_answers_leads_to_its_form_and_the_round_is_audited(root, asked):
    page = look(root, "/receivers/discovery?step=3")
    (hosts,) = asked
    assert len(hosts) == 254
    assert all(host in IPv4Interface("192.168.1.20/24").network for host in hosts)
    assert "1 receiver answers." in page.html.find(role="status").text
    form = page.click("Use this one").forms[1]
    assert [form[name].value for name in ("kind", "host", "port")] == ["beast", "192.168.1.7", "30005"]
    assert entries(root) == [
        ("receivers.discovery", "superadmin", {"networks": ["192.168.1.0/24"]}),
        ("receivers.discovered", "superadmin", {"hosts": 254, "asked": 254, "found": ["beast 192.168.1.7:30005"]}),
    ]


def test_looking_at_the_page_asks_nobody(root, asked):
    root.get("/receivers/discovery")
    assert asked == []
    assert entries(root) == []


def test_once_a_minute_whoever_asks(root, asked):
    look(root)
    other = root.another_browser()
    other.sign_in("admin")
    page = look(other, status=429)
    assert "less than a minute ago" in alert(page)
    assert 1 <= int(page.headers["Retry-After"]) <= 60
    assert len(asked) == 1
    with later(seconds=61):
        look(other)
    assert len(asked) == 2


def test_only_within_15_minutes_of_the_sign_in(root, asked):
    with later(minutes=14):
        look(root)
    with later(minutes=16):
        page = look(root, "/receivers/discovery?step=3", status=403)
        assert "Sign in again first" in alert(page)
        assert len(asked) == 1
        assert entries(root)[-1][0] == "receivers.discovery.refused"
        # Signing in again is the way, and comes back here.
        page = page.click("Sign in again")
        page = root.send(page, 0, username="superadmin", password="correct horse battery staple", status="*")
        again = root.another_browser()
        again.sign_in("superadmin", onward="?next=/console/receivers/discovery%3Fstep%3D3")
        look(again)
        assert len(asked) == 2


def test_a_form_of_another_page_or_without_its_token_asks_nobody(root, asked):
    token = root.token
    root.post("/receivers/discovery", {"csrf_token": token}, headers={"Origin": "http://elsewhere"}, status=403)
    root.post("/receivers/discovery", {"csrf_token": "x"}, status=403)
    root.post("/receivers/discovery", {"csrf_token": token, "network": "203.0.113.0/24"}, status=400)
    root.get("/receivers/discovery?network=203.0.113.0/24", status=400)
    assert asked == []


def test_switched_off_it_is_neither_offered_nor_done(make_visitor, asked):
    visitor = make_visitor(auth_mode="hybrid", receiver_discovery=False)
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.get("/receivers/discovery")
    assert "switched off" in page
    assert page.html.find("button", string="Look for receivers") is None
    page = visitor.post("/receivers/discovery", {"csrf_token": visitor.token}, status=403)
    assert "receiver_discovery" in alert(page)
    assert asked == []


def test_a_machine_without_a_private_network_says_so(root, asked, monkeypatch):
    monkeypatch.setattr(interfaces, "own_interfaces", list)
    assert "no private network" in look(root).html.find(role="status").text
    assert asked == [[]]


def test_this_machine_is_asked_first_but_not_for_outputs_of_our_own(make_visitor, monkeypatch):
    own = []

    async def ask(hosts, own_doors):
        own.extend((door.kind, door.port, door.path) for door in own_doors)
        return Round([Finding("readsb", probes.THIS_MACHINE, 8080, "/data/aircraft.json")], 1, 1)

    monkeypatch.setattr(probes, "ask", ask)
    monkeypatch.setattr(interfaces, "own_interfaces", list)
    visitor = make_visitor(auth_mode="hybrid", output__feed="beast 0.0.0.0:30005", output__there="sbs to pi:30003")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = look(visitor)
    assert {(kind, port) for kind, port, _ in own} == {("readsb", 80), ("readsb", 8080), ("sbs", 30003)}
    assert "localhost (this machine)" in " ".join(page.html.find("table").text.split())
    form = page.click("Use this one").forms[1]
    values = [form[name].value for name in ("kind", "host", "port", "path")]
    assert values == ["readsb", "localhost", "8080", "/data"]


def test_the_production_file_switches_it_off():
    import configparser

    ini = configparser.RawConfigParser()
    ini.read("production.ini")
    assert ini["app:main"]["receiver_discovery"] == "false"
