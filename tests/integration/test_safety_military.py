"""Safety events with military aircraft in them, from the picture to the caller: who may not see them gets none."""

import asyncio
import json
import time

from skywatch.safety import monitor as safety_monitor
from skywatch.safety.monitor import SafetyMonitor
from tests.identities import as_role, install
from tests.realtime import FakeAccounts, connected, serving
from tests.unit.safety.drawn import Drawn, skies, straight
from tests.waiting import until

V1 = "/api/v1/safety"
VIEWER, ANALYST = as_role("viewer", user_id=2), as_role("analyst", user_id=4)
SECONDS, LAST_AT_S = 55, 45
MILITARY = {"dbFlags": 1}
# The emergency, one of the two that meet, one in the jammed area.
HIDDEN = ("AE0001", "AE0002", "AE0003")


def traffic():
    """A civil and a military emergency, a pair of both kinds, an area with one of them in it, and a last emergency."""
    emergency = {"squawk": "7700"}
    aircraft = [
        Drawn("4b0001", straight(-60, 0, 9000, 200, 90), fields=emergency),
        Drawn("ae0001", straight(-60, 40, 9000, 200, 90), fields={**emergency, **MILITARY}),
        Drawn("4b0002", straight(-1.5, 80, 7000, 120, 90)),
        Drawn("ae0002", straight(1.5, 80, 7000, 120, 270), fields=MILITARY),
        Drawn(
            "4b0009",
            straight(60, 0, 9000, 200, 90),
            changing=lambda t: {"squawk": "7600"} if t >= LAST_AT_S else {},
        ),
    ]
    for number, address in enumerate(("ae0003", "4b0003", "4b0004", "4b0005")):
        aircraft.append(
            Drawn(
                address,
                straight(100 + 3 * number, 100, 20_000 + 1000 * number, 200, 90 * number),
                fields=MILITARY if address == "ae0003" else {},
                changing=lambda t: {"nic": 0, "nac_p": 0} if t >= 30 else {},
            )
        )
    return aircraft


def has_region(runtime):
    with runtime.sessions() as session:
        return bool(safety_monitor.regions.now(session, military=True))


def feed(runtime):
    """Have the monitor judge the traffic."""
    monitor = SafetyMonitor(runtime)
    monitor.start()
    try:
        for sky in skies(traffic(), SECONDS, began=time.time() - SECONDS):
            monitor.on_tick(sky)
        until(lambda: has_region(runtime), "a stored region")
    finally:
        monitor.close()


async def told(client):
    """What the topic brings until the last emergency."""
    messages = []
    while not messages or messages[-1]["data"].get("icao_hex") != "4B0009":
        messages.append(await client.until("event", topic="safety"))
    return messages


def test_who_may_not_see_military_aircraft_gets_no_event_with_one(make_client, monkeypatch):
    monkeypatch.setattr(safety_monitor, "REGIONS_EVERY_S", 0.1)
    client = install(make_client(auth_mode="hybrid", realtime_listen="127.0.0.1:0"))
    runtime = client.runtime

    async def scenario():
        accounts = FakeAccounts()
        accounts.add("viewer", "viewer", 2)
        accounts.add("analyst", "analyst", 4)
        async with (
            serving(runtime, accounts) as server,
            connected(server, "viewer") as viewer,
            connected(server, "analyst") as analyst,
        ):
            await viewer.subscribe("safety")
            await analyst.subscribe("safety")
            await asyncio.to_thread(feed, runtime)
            return await told(viewer), await told(analyst)

    by_viewer, by_analyst = asyncio.run(scenario())
    begun = [message["data"]["type"] for message in by_analyst if message["event"] == "safety:event"]
    assert sorted(begun) == ["emergency_squawk"] * 3 + ["position_integrity", "proximity"]
    begun = [message["data"]["icao_hex"] for message in by_viewer if message["event"] == "safety:event"]
    assert begun == ["4B0001", "4B0009"]
    assert not any(address in json.dumps(by_viewer) for address in HIDDEN)

    def answers(headers):
        paths = ("events", "events/active", "events?suppressed=false", "stats", "areas")
        return {path: client.get(f"{V1}/{path}", headers=headers).json for path in paths}

    seen, all_ = answers(VIEWER), answers(ANALYST)
    assert [event["icao_hex"] for event in seen["events"]["events"]] == ["4B0009", "4B0001"]
    assert (seen["events"]["count"], seen["events/active"]["count"], seen["stats"]["total"]) == (2, 2, 2)
    assert (all_["events"]["count"], all_["stats"]["total"]) == (5, 5)
    assert (len(seen["areas"]["features"]), len(all_["areas"]["features"])) == (0, 1)
    assert not any(address in json.dumps(seen) for address in HIDDEN)
    assert "ae0002" in json.dumps(all_).lower()
