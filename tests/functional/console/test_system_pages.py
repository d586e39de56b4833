"""The pages of what the service is set to, how it is and what it runs on, through their forms."""

import json

import pytest
import sqlalchemy as sa

from skywatch.core.bus import Message, topics
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.core.storage.retention import Extent
from skywatch.core.storage.retention_clock import RetentionClock
from skywatch.history.settings import HistorySettings
from skywatch.picture.settings import PictureSettings
from skywatch.safety.thresholds import store as settings_store
from skywatch.security.visibility import EVERYTHING
from skywatch.system import status
from skywatch.system.extents import publish_extents
from skywatch.system.health.checks import Check
from skywatch.system.health.log import HealthLog
from tests.clocks import doubted, kept
from tests.functional.auditing.console_service import press
from tests.functional.console.visitor import main_form, note, populate, send


def audited(runtime, action="setting.changed"):
    with runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action).order_by(AuditEntry.id))
        return {entry.target_name: (entry.method, entry.before, entry.after) for entry in entries}


def rows_of(page):
    """The cells of every row of a page's tables, by the first."""
    found = [[cell.text for cell in row.find_all("td")] for row in page.html.find_all("tr")]
    return {cells[0]: cells[1:] for cells in found if cells}


def settings_of(page):
    """The cells of every setting after its sentence, by its name."""
    found = [(row.code.text, row.find_all("td")) for row in page.html.select("table.inventory tbody tr")]
    return {name: [cell.text.strip() for cell in cells[1:]] for name, cells in found}


def test_the_station_is_set_changed_and_taken_back(root):
    page = root.get("/station")
    page = root.send(page, 1, station_name="Roof", station_lat="47.45", station_lon="8.56").follow()
    assert "Saved." in page
    assert root.runtime.current.of(PictureSettings).station == (47.45, 8.56)
    assert page.forms[1]["station_lat"].value == "47.45"
    assert audited(root.runtime)["station_name"] == ("console", {"value": None}, {"value": "Roof"})
    information = status.information(root.runtime, EVERYTHING)
    assert (information["station"], information["station_name"]) == ({"lat": 47.45, "lon": 8.56}, "Roof")
    # Who may know where it is is one of four.
    page = root.send(page, 1, station_accuracy="10km").follow()
    assert [option.text for option in page.html.find(id="field-station_accuracy")("option")][:2] == [
        "default (1km)",
        "exact",
    ]
    assert root.runtime.current.of(PictureSettings).station_accuracy == "10km"
    root.send(page, 1, station_name="", station_lat="", station_lon="")
    assert root.runtime.current.of(PictureSettings).station is None


def test_wrong_values_come_back_at_their_fields(root):
    page = root.send(root.get("/station"), 1, station_name="Roof", station_lat="91", station_lon="x", status=400)
    assert page.html.find(id="about-station_lat").text.strip().startswith("must be at most 90")
    assert "expected a number" in page.html.find(id="about-station_lon").text
    assert (page.forms[1]["station_name"].value, page.forms[1]["station_lat"].value) == ("Roof", "91")
    assert audited(root.runtime) == {}
    # One coordinate without the other.
    page = root.send(root.get("/station"), 1, station_lat="47", status=400)
    assert "belong together" in page.html.find(id="about-station_lon").text


def test_a_change_made_meanwhile_is_told_and_nothing_is_lost(root):
    other = root.another_browser()
    other.sign_in("admin")
    page = root.get("/retention")
    other.send(other.get("/retention"), 1, retention_flights_days="100")
    page = root.send(page, 1, retention_flights_days="200", status=409)
    assert "admin changed this since you opened it" in page
    assert page.forms[1]["retention_flights_days"].value == "200"
    assert "Stored now: 100" in " ".join(page.html.find(id="about-retention_flights_days").text.split())
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 100.0
    root.send(page, 1)
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 200.0


def test_what_the_ini_file_sets_is_shown_and_not_offered(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", retention_flights_days=7, station_lat=1, station_lon=2)
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.get("/retention")
    assert "retention_flights_days" not in page.forms[1].fields
    assert "set by the ini file" in page
    page = visitor.get("/station")
    assert set(page.forms[1].fields) >= {"station_name"}
    assert "station_lat" not in page.forms[1].fields
    visitor.send(page, 1, station_name="Roof")
    fields = {"csrf_token": visitor.token, "version": page.forms[1]["version"].value, "station_lat": "5"}
    assert visitor.post("/station", fields, status=400)
    assert visitor.runtime.current.of(PictureSettings).station == (1.0, 2.0)


def test_retention_shows_the_room_of_each_kind_as_the_last_round_saw_it(root):
    assert "none yet" in root.get("/retention")
    publish_extents(root.runtime.bus, {"flights": Extent(1_234_567, 98_000_000, None)})
    page = root.get("/retention")
    assert rows_of(page)["Flights"][:2] == ["1,234,567", "98.0 MB"]
    # What another version says is no fault of this one.
    document = json.dumps({"kinds": 1}).encode()
    root.runtime.bus.publish(Message(topics.RETENTION, "extents", document, snapshot=True))
    assert "none yet" in root.get("/retention")


def test_retention_that_doubts_the_clock_says_why_and_goes_on_after_a_word(root):
    clock = doubted(root.runtime.sessions, 1095)
    page = root.get("/retention")
    assert "Nothing is deleted by age" in page
    assert "The clock was set forward by 1,095 days" in page
    assert "The clock is right: go on" in page
    refused = root.post("/retention", {"csrf_token": root.token, "do": "else"}, status=400)
    assert "must be confirm" in refused
    page = press(page, "confirm").follow()
    assert "Confirmed. Retention goes on within a minute." in page
    assert "The clock is right: go on" not in page
    ((method, before, _),) = audited(root.runtime, "retention.clock_confirmed").values()
    assert (method, before) == ("console", {"why": "the clock was set forward by 1,095 days"})
    assert clock.begin([]) == {}
    assert clock.record.hold is None
    assert "Nothing is deleted by age" not in root.get("/retention")


def test_retention_says_what_waits_for_its_portion(root):
    RetentionClock(root.runtime.sessions).begin([kept("flights", 100, 120)])
    page = " ".join(root.get("/retention").html.text.split())
    assert "three days of data an hour. Left: flights 17 d" in page
    assert "skywatch history prune FILE.ini --yes" in page


def test_settings_in_force_with_their_source_and_without_secrets(make_visitor):
    visitor = make_visitor(
        auth_mode="hybrid",
        jwt_secret_key="hunter-0123456789abcdef0123456789abcdef",
        receiver__net="readsb http://me:hunter2@pi/data/aircraft.json?key=hunter3",
    )
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    visitor.send(visitor.get("/station"), 1, station_name="Roof")
    page = visitor.get("/settings")
    rows = settings_of(page)
    assert rows["jwt_secret_key"][:3] == ["********", "empty", "ini file"]
    assert rows["station_name"][:3] == ["Roof", "empty", "database"]
    assert rows["console_idle_minutes"][:3] == ["30", "30", "default"]
    assert "hunter" not in page
    assert list(settings_of(visitor.get("/settings?search=STATION&changed=true"))) == ["station_name"]


def test_settings_are_grouped_with_the_changed_ones_first_and_a_way_to_change_each(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", realtime_path="/live")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    visitor.send(visitor.get("/station"), 1, station_name="Roof")
    page = visitor.get("/settings")
    titles = [title.text for title in page.html.main("h2")]
    assert titles[:3] == ["Changed", "The service", "Station and picture"]
    # The changed ones are seen at once; the others are folded until somebody looks for them.
    assert [fold.has_attr("open") for fold in page.html.find_all("details", class_="group")[:2]] == [True, False]
    found = visitor.get("/settings?search=idle").html.find_all("details", class_="group")
    assert [fold.has_attr("open") for fold in found] == [True]
    first = {row.code.text: row for row in page.html.main.table("tr") if row.code is not None}
    assert {"station_name", "realtime_path", "auth_mode"} <= set(first)
    assert first["station_name"].a["href"] == "/console/settings/station_name"
    assert first["realtime_path"].find("details").code.text == "realtime_path = /live"
    rows = settings_of(page)
    # What is a default shows its default, and a family of which there is none how one would be written.
    assert rows["retention_flights_days"] == ["730", "730", "default", "Change"]
    for family in ("output.*", "audio.*", "base_map.*"):
        assert any(name == family for name in rows), family
    # What is never changed at run time has no form at its address either.
    for name in ("auth_mode", "secret", "oidc_client_id", "trusted_proxy", "listen", "output.x", "nothing"):
        visitor.get(f"/settings/{name}", status=404)
        visitor.post(f"/settings/{name}", {"csrf_token": visitor.token, name: "x"}, status=404)


def test_a_setting_is_changed_refused_and_undone_from_the_audit_log(root):
    page = root.get("/settings").click(linkid=None, href="/settings/retention_flights_days", index=0)
    refused = send(page, status=400, retention_flights_days="many")
    assert "expected a number" in refused.html.find(id="about-retention_flights_days").find(class_="fault").text
    done = send(refused, retention_flights_days="100").follow()
    assert note(done) == "retention_flights_days is saved."
    assert settings_of(done)["retention_flights_days"][:3] == ["100", "730", "database"]
    send(root.get("/settings/retention_flights_days"), retention_flights_days="200")
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 200
    log = root.get("/audit?action=setting.changed")
    page = log.click("Undo", index=0)
    assert main_form(page)["retention_flights_days"].value == "100"
    # Nothing has happened yet.
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 200
    send(page)
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 100
    send(log.click("Undo", index=1))
    assert root.runtime.current.of(HistorySettings).retention_flights_days == 730


def test_a_threshold_is_restored_from_the_audit_log(root):
    send(root.get("/thresholds"), proximity_low_nm="0.7")
    send(root.get("/thresholds"), proximity_low_nm="0.9")
    page = root.get("/thresholds").click("Earlier values").click("Undo", index=0)
    assert main_form(page)["proximity_low_nm"].value == "0.7"
    assert "once you save them" in note(page)
    assert note(send(page).follow()) == "1 threshold changed."
    with root.runtime.sessions() as session:
        assert settings_store.read(session)[0].proximity_low_nm == 0.7
    root.get("/thresholds?before=999999", status=404)
    root.get("/thresholds?before=x", status=400)


def test_a_stored_setting_that_is_not_in_force_is_named_with_the_reason(root):
    root.send(root.get("/retention"), 1, retention_flights_days="100")
    with root.runtime.sessions() as session, session.begin():
        session.get_one(StoredSetting, "retention_flights_days").value = "x"
    root.runtime.stored.expire()
    page = root.get("/settings")
    assert "Stored, but not in force" in page
    assert "expected a number" in page


def test_health_with_its_history(root):
    log = HealthLog(root.runtime.sessions)
    log.take([Check("history", True, False, "works"), Check("disk", True, False, "much free")])
    for number in range(60):
        log.take([Check("disk", bool(number % 2), False, f"look {number}")])
    page = root.get("/health")
    assert page.html.find("b", class_="state")
    assert "look 59" in page
    assert "look 5<" not in page
    older = page.click("Older")
    assert "look 5<" in older
    # That a part worked from the start says little among all others.
    assert "works" not in older.html.find_all("table")[-1].text
    only = root.get("/health?part=history")
    assert "works" in only
    assert "look 59" not in only


@pytest.mark.deep("costs over a processor second")
def test_software_names_versions_and_licences(root):
    rows = rows_of(root.get("/software"))
    assert rows["pyramid"][0].startswith("2.")
    assert "BSD" in rows["pyramid"][1] or "Repoze" in rows["pyramid"][1]
    assert rows["SQLAlchemy"][1] == "MIT"
    # What others need is there too.
    assert "zope.interface" in rows


@pytest.mark.deep("costs over a processor second")
def test_thresholds_are_changed_within_their_bounds(root):
    page = root.get("/thresholds")
    page = root.send(page, 1, proximity_low_nm="0.7", area_aircraft="5").follow()
    assert "2 thresholds changed." in page
    assert page.forms[1]["proximity_low_nm"].value == "0.7"
    with root.runtime.sessions() as session:
        thresholds, _ = settings_store.read(session)
        assert (thresholds.proximity_low_nm, thresholds.area_aircraft) == (0.7, 5)
        entry = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "safety.settings_changed")).one()
    assert (entry.method, entry.before, entry.after) == (
        "console",
        {"proximity_low_nm": 0.5, "area_aircraft": 3.0},
        {"proximity_low_nm": 0.7, "area_aircraft": 5.0},
    )
    page = root.send(root.get("/thresholds"), 1, proximity_low_nm="99", emergency_hold_s="soon", status=400)
    assert "is too large" in page.html.find(id="about-proximity_low_nm").text
    assert page.html.find(id="about-emergency_hold_s").find(class_="fault")
    assert page.forms[1]["emergency_hold_s"].value == "soon"
    root.send(root.get("/thresholds"), 1, proximity_low_nm=repr(2 / 3))
    # What is not touched stays as exact as it is.
    assert "Nothing was changed." in root.send(root.get("/thresholds"), 1).follow()
    root.send(root.get("/thresholds"), 1, proximity_low_nm="")
    with root.runtime.sessions() as session:
        assert settings_store.read(session)[0].proximity_low_nm == 0.5
    other = root.another_browser()
    other.sign_in("admin")
    page = root.get("/thresholds")
    other.send(other.get("/thresholds"), 1, area_aircraft="6")
    page = root.send(page, 1, area_aircraft="7", status=409)
    assert "admin changed this since you opened it" in page
