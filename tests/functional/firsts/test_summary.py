"""The weekly summary: once a week, to channels that subscribe to it, as far as their owner may see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.firsts import service
from skywatch.firsts.models import FirstsState
from skywatch.firsts.summary import text_of
from skywatch.notify.models import Delivery
from tests.accounts import Population
from tests.functional.firsts.drawing import ANALYST
from tests.functional.firsts.test_firsts import firsts

# A Monday, and the one after it.
MONDAY, NEXT = datetime(2026, 11, 16, 12, tzinfo=UTC), datetime(2026, 11, 23, 0, 5, tzinfo=UTC)


@pytest.fixture
def people(client):
    """Owners of a channel for the summary, by role; one more has a channel for something else."""
    population = Population(client.runtime)
    for name, role, sources in (
        ("ada", "analyst", ["firsts"]),
        ("bob", "operator", ["firsts"]),
        ("eve", "analyst", ["safety"]),
    ):
        headers = population.bearer(population.user(name, role))
        body = {"kind": "webhook", "name": "mine", "sources": sources, "address": "https://hooks.example.org/path"}
        client.post_json("/api/v1/alerts/channels/", body, headers=headers, status=201)
    return population


def deliveries(client):
    with client.runtime.sessions() as session:
        return session.scalars(sa.select(Delivery).order_by(Delivery.user_id)).all()


def fly_week(home):
    for number, military in ((1, False), (2, False), (3, True)):
        begin = MONDAY + timedelta(days=number)
        home.fly(
            f"4B160{number}", first_seen_at=begin, last_seen_at=begin, military=military, callsign=f"SWR{number}",
            aircraft_type="C17" if military else "A320",
        )  # fmt: skip


def test_each_owner_is_told_once_a_week_what_they_may_see(client, home, people):
    fly_week(home)
    home.count(MONDAY)
    home.count(MONDAY + timedelta(days=6, hours=10))
    assert deliveries(client) == []
    home.count(NEXT)
    home.count(NEXT + timedelta(days=1))
    ada, bob = deliveries(client)
    assert (ada.kind, ada.event, ada.title, ada.military) == (
        "firsts",
        "firsts.summary",
        "The week from 2026-11-16",
        True,
    )
    assert ada.body["flights"] == 3
    assert ada.body["new"]["airframe"] == ["4B1601", "4B1602", "4B1603"]
    assert ada.body["new"]["type"] == ["A320", "C17"]
    assert (bob.military, bob.body["flights"], bob.body["new"]["type"]) == (False, 2, ["A320"])
    assert bob.text.startswith(
        "2 flights; 2 aircraft were here for the first time.\nNew types: A320.\nNew operators: SWR.\nNew countries: CH."
    )
    assert firsts(client)["count"] == 3 + 2 + 1 + 1


def test_of_weeks_without_the_service_the_last_one_is_told(client, home, people):
    fly_week(home)
    home.count(MONDAY - timedelta(days=30))
    home.count(NEXT)
    assert {delivery.title for delivery in deliveries(client)} == {"The week from 2026-11-16"}
    with client.runtime.sessions() as session:
        assert session.scalar(sa.select(FirstsState.summary_from)) == NEXT.date()


def test_a_long_list_is_cut_in_words():
    new = {"airframe": [], "type": [f"T{number:03d}" for number in range(20)], "country": []}
    text = text_of({"flights": 1200, "new": new, "records": ["busiest_day"]}, 1001)
    assert text.split("\n") == [
        "1,200 flights; 1,001 aircraft were here for the first time.",
        f"New types: {', '.join(new['type'][:12])} and 8 more.",
        "Records: busiest day.",
    ]


def test_the_week_before_is_told_once_though_the_clock_goes_back_over_monday(client, home, people):
    fly_week(home)
    home.count(MONDAY)
    for now in (NEXT, NEXT - timedelta(hours=2), NEXT + timedelta(minutes=5)):
        home.count(now)
    assert len(deliveries(client)) == 2


def test_all_new_airframes_are_counted_and_take_no_room_from_what_is_rare(client, home, people, monkeypatch):
    monkeypatch.setattr(service, "MOST_NEW", 2)
    fly_week(home)
    home.count(MONDAY)
    home.count(NEXT)
    ada, _ = deliveries(client)
    assert ada.text.startswith("3 flights; 3 aircraft were here for the first time.\n")
    assert ada.body["new"]["airframe"] == ["4B1602", "4B1603"]
    assert ada.body["new"]["type"] == ["A320", "C17"]
    new = client.get("/api/v1/journal?day=2026-11-17", headers=ANALYST).json["new"]
    assert [first["kind"] for first in new] == ["type", "operator", "country", "airframe"]
