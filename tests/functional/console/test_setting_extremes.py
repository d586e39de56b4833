"""Numbers at and beyond their bounds at the console, and its pages over what older versions stored."""

import re

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.models import StoredSetting
from skywatch.safety.models import SafetyThreshold
from skywatch.safety.thresholds import store as settings_store
from skywatch.safety.thresholds.thresholds import FIELDS, Thresholds, meaning_of
from tests.extremes import HUGE, NAMES, NO_NUMBERS, NUMBERS, allowed, refused

pytestmark = pytest.mark.deep("walks a whole table")

RETENTION = sorted(name for name in NUMBERS if name.startswith("retention_") and NAMES.fields[name].metadata["stored"])
PAGES = ("", "/retention", "/settings", "/station", "/thresholds", "/health", "/receivers")


def bearer(root):
    return root.people.bearer(root.people.numbers["superadmin"])


def about(page, name):
    return page.html.find(id=f"about-{name}").text


def shortened(text):
    """All fields together must fit into the body of a form."""
    return text[:400]


def store(root, **texts):
    with root.runtime.sessions() as session, session.begin():
        session.execute(sa.delete(StoredSetting))
        for name, text in texts.items():
            session.add(StoredSetting(name=name, value=text, sealed=False, updated_at=utcnow(), updated_by="before"))
    root.runtime.stored.expire()


def store_threshold(root, name, value):
    with root.runtime.sessions() as session, session.begin():
        session.execute(sa.delete(SafetyThreshold))
        session.add(SafetyThreshold(name=name, value=value, updated_at=utcnow()))


def test_every_limit_of_retention_takes_its_bounds_and_nothing_beyond(root):
    assert len(RETENTION) > 20
    for which in (0, 1):
        texts = {name: allowed(name)[which] for name in RETENTION}
        root.send(root.get("/retention"), 1, **texts)
        assert all(getattr(root.runtime.current, name) == float(text) for name, text in texts.items())
        for page in PAGES:
            root.get(page)
    for which in range(len(refused(RETENTION[0]))):
        # All fields at once: every fault is named at its field.
        texts = {name: shortened(refused(name)[which]) for name in RETENTION}
        again = root.send(root.get("/retention"), 1, status=400, **texts)
        for name in RETENTION:
            assert again.html.find(id=f"about-{name}").find(class_="fault"), (name, texts[name])


@pytest.mark.parametrize("text", [*HUGE, *NO_NUMBERS])
@pytest.mark.parametrize("name", ["station_lat", "station_lon"])
def test_the_station_is_on_the_earth(root, name, text):
    other = {"station_lat": "station_lon", "station_lon": "station_lat"}[name]
    page = root.send(root.get("/station"), 1, status=400, **{name: text, other: "10"})
    assert page.html.find(id=f"about-{name}").find(class_="fault")


def test_every_threshold_takes_its_bounds_and_nothing_beyond(root):
    for bound in ("minimum", "maximum"):
        texts = {name: repr(getattr(meaning_of(name), bound)) for name in FIELDS}
        page = root.send(root.get("/thresholds"), 1, **texts)
        assert page.status_code == 303
    for text in (*HUGE, *NO_NUMBERS):
        again = root.send(root.get("/thresholds"), 1, status=400, **dict.fromkeys(FIELDS, shortened(text)))
        for name in FIELDS:
            assert again.html.find(id=f"about-{name}").find(class_="fault"), (name, text)


@pytest.mark.parametrize("text", ["1e308", "-1e308", "nan", "inf", "9" * 5000, "-1", "soon", ""])
def test_pages_open_whatever_is_stored_and_say_what_is_in_force(root, text):
    store(root, **dict.fromkeys([*RETENTION, "station_lat", "station_lon"], text))
    for page in PAGES:
        assert root.get(page).status_code == 200
    current = root.runtime.current
    page = root.get("/retention")
    for name in RETENTION:
        # A limit above the greatest was meant to delete nothing, as 0 does.
        is_above = text in ("1e308", "inf", "9" * 5000) and name != "retention_events_hours"
        expected = 0 if is_above else NAMES.fields[name].default
        assert getattr(current, name) == expected, name
        assert "is stored, but" in about(page, name)
        assert f"in force: {expected:g}" in about(page, name)
    assert root.client.get("/api/v1/system/retention", headers=bearer(root)).json["count"] > 5
    # The page mends it.
    root.send(page, 1, **dict.fromkeys(RETENTION, "2"))
    assert {getattr(root.runtime.current, name) for name in RETENTION} == {2}


def test_a_value_beyond_its_bounds_that_the_ini_file_overrules_changes_nothing(make_visitor):
    visitor = make_visitor(retention_positions_days=7)
    store(visitor, retention_positions_days="1e308")
    assert visitor.runtime.current.retention_positions_days == 7


@pytest.mark.parametrize("value", [1e308, -1e308, float("inf"), float("-inf"), -1.0, 1e15])
def test_a_stored_threshold_beyond_its_bounds_is_shown_as_a_fault_and_not_in_force(root, value):
    name = "proximity_low_nm"
    store_threshold(root, name, value)
    with root.runtime.sessions() as session:
        assert settings_store.read(session)[0] == Thresholds()
    page = root.get("/thresholds")
    assert re.search("the stored .* is not between .*; the default is in force", about(page, name))
    address = "/api/v1/safety/settings"
    shown = root.client.get(address, headers=bearer(root)).json["settings"]
    faulty = {row["name"]: row for row in shown if row["fault"]}
    assert list(faulty) == [name]
    assert faulty[name]["value"] == faulty[name]["default"]
    root.send(page, 1, area_aircraft="5")
    shown = root.client.get(address, headers=bearer(root)).json["settings"]
    assert [row for row in shown if row["fault"]] == []


def test_the_api_refuses_thresholds_beyond_their_bounds(root):
    headers = {**bearer(root), "Content-Type": "application/json"}
    no_numbers = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 30, "9" * 400, "9" * 5000, '"5"')
    # How a number is read is one way for all, what it may be is a matter of each.
    beyond = [(name, text) for name in FIELDS for text in ("1e308", "-1e308")]
    for name, text in [*beyond, *((next(iter(FIELDS)), text) for text in no_numbers)]:
        body = f'{{"{name}": {text}}}'.encode()
        root.client.patch("/api/v1/safety/settings", body, headers=headers, status=400)
    for name in FIELDS:
        for value in (meaning_of(name).minimum, meaning_of(name).maximum):
            body = f'{{"{name}": {value}}}'.encode()
            root.client.patch("/api/v1/safety/settings", body, headers=headers, status=200)
