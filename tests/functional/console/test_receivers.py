"""Receivers and inputs in the console: added, changed, tried and removed, with the rules of the ini file."""

import re

import pytest
import sqlalchemy as sa

from skywatch.console.forms import trials
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.receivers.settings import ReceiverSettings
from tests.feeds import FeedServer
from tests.functional.console.visitor import ORIGIN, populate

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
    assert page.forms[1]["text"].value == "sbs localhost:30003"
    press(page, "save", text="beast localhost:30005")
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


def test_an_input_of_acars_is_added_too(root):
    add(root, family="acars.", name="vhf", text="udp 127.0.0.1:5550")
    assert root.runtime.current.acars_inputs == {"vhf": "udp 127.0.0.1:5550"}
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
    ({"name": "roof", "text": ""}, "text", "is missing"),
    ({"name": "roof", "text": "replay /etc/passwd"}, "text", "only the ini file may name them"),
    ({"name": "Roof!", "text": "beast localhost:30005"}, "name", "lower-case letters"),
)


def test_what_is_wrong_is_told_beside_its_field_and_kept(root):
    for do in ("save", "try"):
        for fields, field, reason in WRONG:
            page = add(root, do=do, status=400, **fields)
            assert reason in page.html.find(id=f"about-{field}").text
            assert page.forms[1]["text"].value == fields["text"]
            assert page.forms[1]["name"].value == fields["name"]
    with root.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(StoredSetting)) == 0


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
    with trials._place:
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


def test_a_change_made_meanwhile_is_told(root):
    add(root, name="attic", text="sbs localhost:30003")
    page = root.get("/receivers/input?name=receiver.attic")
    other = root.beside()
    other.sign_in("admin")
    press(other.get("/receivers/input?name=receiver.attic"), "save", text="sbs localhost:30009")
    page = press(page, "save", text="sbs localhost:30010", status=409)
    assert "admin changed this since you opened it" in page
    assert page.forms[1]["text"].value == "sbs localhost:30010"
    assert receivers_of(root)["attic"] == "sbs localhost:30009"
    press(page, "save")
    assert receivers_of(root)["attic"] == "sbs localhost:30010"
    # And what another one has added under this name meanwhile is not overwritten.
    page = add(root, name="attic", text="sbs localhost:1", status=400)
    assert "is already in use" in page
