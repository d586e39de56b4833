"""Networks that channels may reach: allowed by whoever has just signed in, and only networks of this machine."""

from datetime import timedelta
from ipaddress import IPv4Interface, IPv6Interface

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.core.clock import utcnow
from skywatch.core.database.models import AuditEntry
from skywatch.core.network import interfaces
from skywatch.core.network.interfaces import Interface
from skywatch.notify.channels.service import check_address
from skywatch.notify.senders.all import create_client
from skywatch.notify.settings import NotifySettings
from tests.functional.console.visitor import ORIGIN, alert, note, populate

HOOK = "http://192.168.1.20:8123/api/webhook/x"


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    own = [
        Interface("lo", IPv4Interface("127.0.0.1/8"), False),
        Interface("eth0", IPv4Interface("192.168.1.5/16"), False),
        Interface("eth0", IPv6Interface("fd00:1::5/48"), False),
        Interface("eth1", IPv4Interface("169.254.7.7/16"), False),
        Interface("docker0", IPv4Interface("172.17.0.1/16"), True),
    ]
    monkeypatch.setattr(interfaces, "own_interfaces", lambda: own)
    return own


def press(visitor, do, network, status=303, path="/channels/networks"):
    visitor.runtime.stored.expire()
    page = visitor.get(path)
    form = next(
        form
        for form in page.forms.values()
        if "network" in form.fields and form["network"].value == network and form["do"].value_if_submitted() == do
    )
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def fault_of(visitor):
    return check_address("webhook", HOOK, visitor.runtime.current.of(NotifySettings))


def test_the_own_network_is_allowed_listed_audited_and_withdrawn(root):
    assert "notify_allow_networks" in fault_of(root)
    page = root.get("/channels/networks?host=192.168.1.20")
    assert "192.168.1.20 is in your own network. Allow 192.168.1.0/24 for channels?" in " ".join(page.html.text.split())
    assert "may reach 192.168.1.0/24 now" in note(press(root, "allow", "192.168.1.0/24").follow())
    assert fault_of(root) is None
    # Senders that run already follow.
    assert create_client(root.runtime)._policy.check_host("192.168.1.20") is None
    press(root, "allow", "fd00:1::/64")
    assert root.runtime.current.of(NotifySettings).notify_own_networks == ("192.168.1.0/24", "fd00:1::/64")
    press(root, "withdraw", "192.168.1.0/24")
    assert "notify_allow_networks" in fault_of(root)
    with root.runtime.sessions() as session:
        rows = session.scalars(sa.select(AuditEntry).where(AuditEntry.target_id == "notify_own_networks"))
        values = [entry.after["value"] for entry in rows if entry.action == "setting.changed"]
    assert values == ["192.168.1.0/24", "192.168.1.0/24 fd00:1::/64", "fd00:1::/64"]


@pytest.mark.parametrize(
    "network",
    ["192.168.0.0/16", "127.0.0.0/8", "169.254.7.0/24", "172.17.0.0/24", "10.0.0.0/24", "203.0.113.0/24", "", "x"],
)
def test_nothing_but_a_network_of_this_machine_is_allowed(root, network):
    fields = {"csrf_token": root.token, "do": "allow", "network": network}
    page = root.post("/channels/networks", fields, status=400)
    assert "no private network that this machine has an interface in" in alert(page)
    assert root.runtime.current.of(NotifySettings).allowed_networks == ()


def test_only_within_15_minutes_of_the_sign_in_but_withdrawn_at_any_time(root):
    press(root, "allow", "fd00:1::/64")
    with time_machine.travel(utcnow() + timedelta(minutes=16)):
        page = press(root, "allow", "192.168.1.0/24", status=403)
        assert "Sign in again first" in alert(page)
        assert "/console/sign-in?next=/console/channels/networks" in page.html.find("a", string="Sign in again")["href"]
        press(root, "withdraw", "fd00:1::/64")
    assert root.runtime.current.of(NotifySettings).allowed_networks == ()


def test_the_setting_has_no_form_of_its_own_and_leads_here(root):
    root.get("/settings/notify_own_networks", status=404)
    fields = {"csrf_token": root.token, "notify_own_networks": "0.0.0.0/0"}
    root.post("/settings/notify_own_networks", fields, status=404)
    press(root, "allow", "192.168.1.0/24")
    assert root.get("/settings?search=notify_own").html.find("a", href="/console/channels/networks")


def test_where_there_is_only_a_bridge_the_line_of_the_ini_file_is_shown(root, machine):
    del machine[1:4]
    page = root.get("/channels/networks?host=192.168.7.20")
    assert page.html.find(class_="copy").find("code").text == "notify_allow_networks = 192.168.7.0/24"
    assert page.html.find("button", value="allow") is None


def test_what_the_ini_file_allows_is_listed_and_stays(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", notify_allow_networks="10.1.0.0/16")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    assert "10.1.0.0/16" in visitor.get("/channels/networks")
    press(visitor, "allow", "192.168.1.0/24")
    assert visitor.runtime.current.of(NotifySettings).allowed_networks == ("10.1.0.0/16", "192.168.1.0/24")
