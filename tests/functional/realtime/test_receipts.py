"""What was written to a connection of its user is recorded; what went to nobody, or to somebody else, is not."""

import asyncio
from datetime import UTC, datetime

import pytest

from skywatch.accounts.models import User
from skywatch.cannonball.models import CannonballAlert, CannonballSession
from skywatch.cannonball.sessions.messages import alert_message
from skywatch.core import events
from skywatch.core.database.engine import writing
from tests.realtime import FakeAccounts, connected, serving
from tests.waiting import PATIENCE_S

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def runtime(make_runtime, database_url):
    made = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid", database_url=database_url)
    with writing(made.sessions) as db:
        for number, name in enumerate(("ada", "ben"), 1):
            email = f"{name}@example.org"
            db.add(User(id=number, username=name, username_key=name, email=email, email_key=name, display_name=name))
    return made


def raise_alert(runtime):
    """Write an alert of user 1 as the tracker does; gives its number."""
    with writing(runtime.sessions) as db:
        session = CannonballSession(
            user_id=1, icao_hex="3C1234", identification="known", threat_level="critical",
            peak_threat_level="critical", urgency_score=90, peak_urgency_score=90, distance_nm=1, closest_nm=1,
            bearing=10, closing_speed_kts=100, started_at=NOW, last_seen=NOW,
        )  # fmt: skip
        db.add(session)
        db.flush()
        alert = CannonballAlert(
            user_id=1, session_id=session.id, session_icao="3C1234", alert_type="overhead", priority="critical",
            title="Overhead", message="overhead", aircraft_lat=47, aircraft_lon=8, user_lat=47, user_lon=8,
            distance_nm=0.2, bearing=10, created_at=NOW,
        )  # fmt: skip
        db.add(alert)
        db.flush()
        events.publish(db, alert_message(alert))
        return alert.id


def recorded(runtime, number):
    with runtime.sessions() as session:
        alert = session.get(CannonballAlert, number)
        return alert.notified, [delivery["kind"] for delivery in alert.delivered_by]


async def until_recorded(runtime, number):
    async with asyncio.timeout(PATIENCE_S):
        while not (await asyncio.to_thread(recorded, runtime, number))[0]:
            await asyncio.sleep(0.05)
    assert recorded(runtime, number) == (True, ["realtime"])


def accounts_of_both():
    accounts = FakeAccounts()
    accounts.add("owner", "viewer", 1)
    accounts.add("overseer", "admin", 2)
    return accounts


def test_an_alert_is_notified_once_it_was_written_to_a_connection_of_its_user(runtime):
    async def scenario():
        async with serving(runtime, accounts_of_both()) as server, connected(server, "overseer") as overseer:
            await overseer.subscribe("alerts")
            async with connected(server, "owner") as idle:
                # Nobody but an overseer hears it: a connection without the topic is none.
                first = await asyncio.to_thread(raise_alert, runtime)
                assert (await overseer.receive())["data"]["notified"] is False
                await idle.subscribe("safety")
            async with connected(server, "owner") as owner, connected(server, "owner") as phone:
                await owner.subscribe("alerts")
                await phone.subscribe("alerts")
                second = await asyncio.to_thread(raise_alert, runtime)
                assert (await owner.receive())["data"]["id"] == second
                await until_recorded(runtime, second)
            # The second was recorded after the first could have been.
            assert recorded(runtime, first) == (False, [])

    asyncio.run(scenario())


@pytest.mark.parametrize("is_in_memory", [True, False], ids=["event", "snapshot"])
def test_what_was_missed_counts_when_it_is_caught_up_with(runtime, is_in_memory):
    async def scenario():
        async with serving(runtime, accounts_of_both()) as server:
            async with connected(server, "owner") as owner:
                await owner.subscribe("alerts")
                await asyncio.to_thread(raise_alert, runtime)
                heard = await owner.receive()
            missed = await asyncio.to_thread(raise_alert, runtime)
            assert recorded(runtime, missed)[0] is False
            point = {"epoch": heard["epoch"] if is_in_memory else "another", "seq": heard["seq"]}
            async with connected(server, "owner") as owner:
                await owner.subscribe("alerts", since={"alerts": point})
                await until_recorded(runtime, missed)

    asyncio.run(scenario())


def test_a_stop_records_what_was_written_before(runtime):
    async def scenario():
        async with serving(runtime, accounts_of_both()) as server, connected(server, "owner") as owner:
            await owner.subscribe("alerts")
            number = await asyncio.to_thread(raise_alert, runtime)
            await owner.receive()
        return number

    number = asyncio.run(scenario())
    assert recorded(runtime, number) == (True, ["realtime"])
