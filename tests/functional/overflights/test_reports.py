"""Reports and their editions over REST, made once by whoever comes first, and sent once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.database.engine import writing
from skywatch.notify.messages import compose
from skywatch.notify.models import Delivery
from skywatch.overflights.editions import ReportsFailed, make_due
from skywatch.overflights.models import Edition, Report
from tests.functional.overflights.test_overflights import OPERATOR, RING, VIEWER, client
from tests.identities import as_role
from tests.notifying import add_channel

__all__ = ["client"]

V1 = "/api/v1"
OTHER = as_role("operator", 2)
REPORT = {"name": "Village", "geofence": 1, "below_ft": 3_000, "every": "day"}


def midnight_after(day):
    """The end of a day of June 2026 in Zurich."""
    return datetime(2026, 6, day, 22, 1, tzinfo=UTC)


@pytest.fixture
def user(client, monkeypatch):
    """Everything is made for user 1, whose rights are those of the header."""
    from skywatch.overflights import editions
    from skywatch.security.permissions import Permission, default_permissions
    from skywatch.security.visibility import Visibility

    held = frozenset({*default_permissions("operator"), Permission.AIRCRAFT_VIEW_MILITARY})
    monkeypatch.setattr(editions, "visibilities", lambda session, settings, ids: {i: Visibility(i, held) for i in ids})
    return client


def create(client, headers=OPERATOR, status=201, **fields):
    return client.post_json(f"{V1}/reports", REPORT | fields, headers=headers, status=status).json


def backdate(client, report, at):
    with writing(client.runtime.sessions) as session:
        session.get_one(Report, report).done_until = at


def test_reports_are_created_changed_and_deleted_by_their_owner(client):
    made = create(client)
    assert {name: made[name] for name in REPORT} == REPORT
    assert (made["over"], made["channels"]) == ("sea", [])
    url = f"{V1}/reports/{made['id']}"
    assert client.get(f"{V1}/reports", headers=OPERATOR).json["reports"] == [made]
    assert client.get(f"{V1}/reports", headers=OTHER).json["count"] == 0
    for method in (client.get, client.delete):
        assert method(url, headers=OTHER, status=404).json["code"] == "not_found"
    changed = client.patch_json(url, {"every": "week", "over": "ground"}, headers=OPERATOR).json
    assert (changed["every"], changed["over"], changed["name"]) == ("week", "ground", "Village")
    assert datetime.fromisoformat(changed["next_at"]).astimezone(UTC).weekday() == 6, "Monday in Zurich"
    assert client.get(f"{V1}/reports", status=401).json["code"] == "authentication_required"
    client.delete(url, headers=OPERATOR, status=204)
    client.get(url, headers=OPERATOR, status=404)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"geofence": 2}, "geofence"),
        ({"geofence": 99}, "geofence"),
        ({"channels": [77]}, "channels"),
        ({"every": "year"}, "every"),
        ({"below_ft": 0}, "below_ft"),
        ({"name": " "}, "name"),
    ],
)
def test_what_is_not_the_callers_or_no_report_is_refused_by_name(client, fields, name):
    assert create(client, status=400, **fields)["errors"][0]["name"] == name
    report = create(client)
    answer = client.patch_json(f"{V1}/reports/{report['id']}", fields, headers=OPERATOR, status=400)
    assert answer.json["errors"][0]["name"] == name


def test_a_geofence_in_use_stays(client):
    report = create(client)
    answer = client.delete(f"{V1}/alerts/geofences/1/", headers=OPERATOR, status=409).json
    assert (answer["code"], answer["detail"]) == ("conflict", "The geofence is used by the reports Village.")
    client.delete(f"{V1}/reports/{report['id']}", headers=OPERATOR, status=204)
    client.delete(f"{V1}/alerts/geofences/1/", headers=OPERATOR, status=204)


def test_the_last_missed_edition_is_made_and_sent_once(user):
    channel = add_channel(user.runtime.sessions, 1)
    report = create(user, channels=[channel])
    assert make_due(user.runtime, datetime.now(UTC)) == 0, "not of the time before it was created"
    backdate(user, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    makers = [threading.Thread(target=make_due, args=(user.runtime, midnight_after(1))) for _ in range(2)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert make_due(user.runtime, midnight_after(1)) == 0
    editions = user.get(f"{V1}/reports/{report['id']}/editions", headers=OPERATOR).json
    (edition,) = editions["editions"]
    assert (edition["from"], edition["to"]) == ("2026-05-31T22:00:00Z", "2026-06-01T22:00:00Z")
    assert (edition["count"], edition["night_share"]) == (3, 0.3333)
    with user.runtime.sessions() as session:
        (delivery,) = session.scalars(sa.select(Delivery)).all()
        message = compose([delivery], "msg_1", delivery.at)
    assert (delivery.event, delivery.text) == (
        "report.edition",
        "3 flights over =1+1 below 3000 ft, 33% of them in the night.",
    )
    assert b'"type":"report.edition","timestamp":"' in message.document
    assert delivery.body["edition"] == edition["id"]
    assert delivery.body["report"] == {"id": report["id"], "name": "Village"}


def test_an_edition_is_answered_as_its_reader_may_see_it(user):
    report = create(user)
    backdate(user, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    make_due(user.runtime, midnight_after(1))
    editions = f"{V1}/reports/{report['id']}/editions"
    number = user.get(editions, headers=OPERATOR).json["editions"][0]["id"]
    for url in (f"{V1}/editions/{number}", f"{editions}/{number}"):
        found = user.get(url, headers=OPERATOR).json
        assert [flight["flight_id"] for flight in found["flights"]] == [3, 2, 1]
        assert found["area"]["geometry"]["coordinates"] == [RING]
        assert (found["from"], found["below_ft"]) == ("2026-05-31T22:00:00Z", 3_000)
        less = user.get(url, headers=VIEWER).json
        assert [flight["flight_id"] for flight in less["flights"]] == [2, 1]
        assert less["flights"][0]["registration"] is None
        assert user.get(url, headers=OTHER, status=404).json["code"] == "not_found"
    assert user.get(editions, headers=VIEWER).json["editions"][0]["count"] == 2
    assert user.get(f"{V1}/editions/{number}?format=csv", headers=OPERATOR).text.count("\n") == 4
    pdf = user.get(f"{V1}/editions/{number}?format=pdf", headers=OPERATOR)
    assert pdf.body.startswith(b"%PDF-")
    assert user.get(f"{V1}/reports/{report['id'] + 1}/editions/{number}", headers=OPERATOR, status=404)


def test_a_report_that_fails_does_not_stop_the_others(user, monkeypatch):
    from skywatch.overflights import editions

    failing, other = create(user), create(user, below_ft=2_500)
    for report in (failing, other):
        backdate(user, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    asked_of = editions.service.asked_of

    def asked(row, below_ft, *more):
        if below_ft == 3_000:
            raise ValueError("the day cannot be read")
        return asked_of(row, below_ft, *more)

    monkeypatch.setattr(editions.service, "asked_of", asked)
    for _ in range(2):
        with pytest.raises(ReportsFailed, match="1 report could not be made: the day cannot be read"):
            make_due(user.runtime, midnight_after(1))
    assert user.get(f"{V1}/reports/{other['id']}/editions", headers=OPERATOR).json["count"] == 1
    monkeypatch.setattr(editions.service, "asked_of", asked_of)
    assert make_due(user.runtime, midnight_after(1)) == 1


def test_of_more_flights_than_are_held_at_once_no_edition_is_made_and_its_channels_get_that(user, monkeypatch):
    report = create(user, channels=[add_channel(user.runtime.sessions, 1)])
    backdate(user, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    monkeypatch.setattr("skywatch.overflights.service.MOST_FLIGHTS", 2)
    for _ in range(2):
        assert make_due(user.runtime, midnight_after(1)) == 0
    assert user.get(f"{V1}/reports/{report['id']}/editions", headers=OPERATOR).json["count"] == 0
    with user.runtime.sessions() as session:
        (delivery,) = session.scalars(sa.select(Delivery)).all()
    assert delivery.text.startswith("More than 2 flights over =1+1 below 3000 ft: no edition was made.")
    assert (delivery.body["edition"], delivery.body["count"]) == (None, None)
    monkeypatch.undo()
    assert make_due(user.runtime, midnight_after(2)) == 1, "of the next day there is one again"


@pytest.mark.parametrize(("zone", "made"), [("America/New_York", 0), ("Asia/Tokyo", 1)])
def test_a_day_is_not_sent_again_where_the_zone_moves(user, monkeypatch, zone, made):
    report = create(user)
    backdate(user, report["id"], datetime(2026, 6, 1, 22, tzinfo=UTC))
    monkeypatch.setattr("skywatch.overflights.editions.station_zone", lambda settings: ZoneInfo(zone))
    assert make_due(user.runtime, datetime(2026, 6, 2, 16, tzinfo=UTC)) == made
    with user.runtime.sessions() as session:
        assert session.get_one(Report, report["id"]).done_until > datetime(2026, 6, 1, 22, tzinfo=UTC)


def test_a_delivery_about_military_flights_is_one_about_military_aircraft(user):
    channel = add_channel(user.runtime.sessions, 1)
    report = create(user, channels=[channel])
    backdate(user, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    make_due(user.runtime, midnight_after(1))
    with user.runtime.sessions() as session:
        (delivery,) = session.scalars(sa.select(Delivery)).all()
        assert (delivery.military, delivery.aircraft) == (True, ["4B0003"])


def test_editions_are_listed_without_their_documents_and_in_short_pages_where_these_are_read(user, monkeypatch):
    from skywatch.overflights import editions

    report = create(user)
    for day in (1, 2, 3):
        backdate(user, report["id"], datetime(2026, 5, day, tzinfo=UTC))
        make_due(user.runtime, midnight_after(day))
    monkeypatch.setattr(editions, "MOST_READ", 2)
    url = f"{V1}/reports/{report['id']}/editions"
    found = user.get(url, headers=VIEWER).json
    assert [edition["count"] for edition in found["editions"]] == [0, 1]
    assert found["next"].endswith("offset=2")
    assert [edition["count"] for edition in user.get(found["next"], headers=VIEWER).json["editions"]] == [2]
    with writing(user.runtime.sessions) as session:
        session.execute(sa.update(Edition).values(document=b"damaged"))
    found = user.get(url, headers=OPERATOR).json
    assert [edition["count"] for edition in found["editions"]] == [0, 1, 3]
    assert found["next"] is None


def test_weeks_begin_on_monday_and_months_on_the_first(user):
    for every, end, begin in (
        ("week", "2026-05-31T22:00:00Z", "2026-05-24T22:00:00Z"),
        ("month", "2026-05-31T22:00:00Z", "2026-04-30T22:00:00Z"),
    ):
        report = create(user, every=every)
        backdate(user, report["id"], datetime(2026, 1, 1, tzinfo=UTC))
        assert make_due(user.runtime, midnight_after(3)) == 1
        (edition,) = user.get(f"{V1}/reports/{report['id']}/editions", headers=OPERATOR).json["editions"]
        assert (edition["from"], edition["to"]) == (begin, end)


def test_an_owner_whose_account_is_switched_off_gets_no_edition(client):
    report = create(client)
    with writing(client.runtime.sessions) as session:
        session.get_one(User, 1).is_active = False
    backdate(client, report["id"], datetime(2026, 5, 1, tzinfo=UTC))
    assert make_due(client.runtime, midnight_after(1)) == 0
    with client.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Edition)) == 0
