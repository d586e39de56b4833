"""The first run: three steps from an empty installation, for whoever has the one-time password of ``init``."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.first_user import SetupState
from skywatch.accounts.models import User
from skywatch.accounts.setup import service
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor
from skywatch.core.stored_settings import listed
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings
from tests.functional.console.visitor import ORIGIN, populate

OWN = "a long password of my own"


@pytest.fixture(autouse=True)
def each_time(monkeypatch):
    monkeypatch.setattr("skywatch.accounts.first_user.KEPT_S", 0.0)


@pytest.fixture
def visitor(make_visitor):
    found = make_visitor(console_first_run=True, auth_mode="hybrid", receiver__demo="simulate aircraft=2")
    with writing(found.runtime.sessions) as session:
        begin_change(session)
        install(session)
    return found


def issue(visitor):
    with writing(visitor.runtime.sessions) as session:
        return service.issue_password(session)


def users_of(visitor):
    with visitor.runtime.sessions() as session:
        return list(session.scalars(sa.select(User)))


def root_page(visitor, **kw):
    return visitor.client.get("/", **kw)


@pytest.mark.deep("costs over a processor second")
def test_three_steps_lead_from_nothing_to_a_receiver(visitor):
    password = issue(visitor)
    for page in (visitor.get("", status=303), visitor.get("/sign-in", status=303)):
        assert page.headers["Location"].endswith("/console/setup")
    page = visitor.get("/setup")
    page = visitor.send(page, 0, setup_password=password, username="ada", email="ada@example.org", password=OWN)
    page = page.follow()
    assert "Step 2 of 3" in page
    (ada,) = users_of(visitor)
    assert (ada.username, ada.email) == ("ada", "ada@example.org")
    page = visitor.send(page, 1, station_name="Roof", station_lat="47.45", station_lon="8.56").follow()
    assert "Step 3 of 3" in page
    form = page.forms[1]
    form["host"] = "localhost"
    page = form.submit("do", value="save", headers=ORIGIN, status=200)
    assert "The map opens with your login." in page
    assert "The installation is set up." in visitor.get("/receivers")
    settings = visitor.runtime.current
    assert settings.of(PictureSettings).station == (47.45, 8.56)
    assert settings.of(ReceiverSettings).receivers["roof"] == "beast localhost:30005"
    # The password is used up.
    assert visitor.get("/setup", status=303).headers["Location"].endswith("/console")
    with visitor.runtime.sessions() as session:
        assert session.get(StoredSetting, service.ROW) is None
        entry = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "user.created")).one()
    assert (entry.actor_name, entry.method, entry.after["roles"]) == ("first run", "console", ["superadmin"])
    # Ada holds everything, and signs in with her own password.
    other = visitor.another_browser()
    other.sign_in("ada", OWN)
    assert "ada" in other.get("/users")


def test_each_step_can_be_skipped(visitor):
    password = issue(visitor)
    page = visitor.send(visitor.get("/setup"), 0, setup_password=password, password=OWN).follow()
    page = page.click("Skip to the receiver")
    page = page.click("Skip to the overview")
    assert "Overview" in page
    assert [user.username for user in users_of(visitor)] == ["admin"]


def test_without_the_password_nothing_is_made(visitor):
    issue(visitor)
    page = visitor.send(visitor.get("/setup"), 0, setup_password="guess", password=OWN, status=400)
    assert "The one-time password is wrong" in page.html.find(id="about-setup_password").text
    assert OWN not in page
    page = visitor.send(visitor.get("/setup"), 0, setup_password="guess", password="short", status=400)
    assert page.html.find(id="about-password").find(class_="fault")
    assert users_of(visitor) == []
    with visitor.runtime.sessions() as session:
        entry = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "login.failed")).one()
    assert entry.after == {"reason": "setup_password", "tries": 1}


def test_a_page_that_was_reached_without_tls_says_so_in_production(make_visitor):
    visitor = make_visitor(console_first_run=True, environment="production", auth_mode="hybrid")
    issue(visitor)
    proxied = {"HTTP_HOST": "radar.example", "HTTP_X_FORWARDED_FOR": "198.51.100.7"}
    assert "reached without TLS" in visitor.get("/setup", extra_environ=proxied)
    assert "reached without TLS" not in visitor.get("/setup")


def test_forms_of_other_sites_are_refused(visitor):
    password = issue(visitor)
    page = visitor.get("/setup")
    visitor.send(page, 0, {"Origin": "http://elsewhere"}, 403, setup_password=password, password=OWN)
    assert users_of(visitor) == []


def test_the_password_is_worth_nothing_once_there_is_a_user(visitor):
    password = issue(visitor)
    page = visitor.get("/setup")
    populate(visitor.runtime, "viewer")
    visitor.send(page, 0, setup_password=password, password=OWN, status=303)
    assert [user.username for user in users_of(visitor)] == ["viewer"]
    fields = UserCreateFields(username="eve", password=OWN)
    with pytest.raises(Problem, match="There is a user already"):
        service.create_first_administrator(
            visitor.runtime.sessions, Actor("x", "console"), password, fields, lambda session, user: user
        )
    assert issue(visitor) is None
    visitor.get("/sign-in", status=200)


def test_elsewhere_the_page_says_how_to_get_a_link_and_takes_no_password(visitor):
    password = issue(visitor)
    page = visitor.get("/setup")
    for environ in ({"REMOTE_ADDR": "203.0.113.9"}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, {"HTTP_FORWARDED": "for=x"}):
        shown = visitor.get("/setup", extra_environ=environ)
        assert "skywatch setup-link FILE.ini" in shown
        assert "setup_password" not in shown
        fields = {"csrf_token": page.forms[0]["csrf_token"].value, "setup_password": password, "username": "ada"}
        refused = visitor.post("/setup", {**fields, "email": "", "password": OWN}, extra_environ=environ, status=403)
        assert "on the machine itself only" in refused
    assert users_of(visitor) == []


@pytest.mark.deep("hashes passwords")
def test_ten_wrong_passwords_void_the_right_one(visitor):
    password = issue(visitor)
    for _ in range(service.MAX_WRONG_TRIES):
        visitor.send(visitor.get("/setup"), 0, setup_password="guess", password=OWN, status=400)
    visitor.send(visitor.get("/setup"), 0, setup_password=password, password=OWN, status=400)
    assert issue(visitor) is None
    with writing(visitor.runtime.sessions) as session:
        newer = service.renew_password(session)
    visitor.send(visitor.get("/setup"), 0, setup_password=newer, password=OWN, status=303)


def test_where_it_is_switched_off_the_console_asks_to_sign_in(make_visitor):
    switched_off = make_visitor(auth_mode="hybrid", console_first_run="false")
    issue(switched_off)
    switched_off.get("/sign-in", status=200)


def test_the_first_page_is_never_the_set_up(visitor):
    issue(visitor)
    assert root_page(visitor, status="*").status_int != 303


def test_the_row_of_the_password_is_no_setting(visitor):
    issue(visitor)
    with visitor.runtime.sessions() as session:
        assert listed(session, visitor.runtime.settings) == []
    assert SetupState(visitor.runtime).is_open


def test_a_database_that_does_not_answer_leads_nowhere(visitor):
    issue(visitor)
    with visitor.runtime.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE users RENAME TO away")
    assert not SetupState(visitor.runtime).is_open
