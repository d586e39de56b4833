"""Real clients under churn end with exactly what the REST API lists: breaks, resumes, other areas, slow reading."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from webtest import TestApp

from skywatch.client import Client
from tests.app_templates import make_app
from tests.realtime import Skies, publish_sky, serving
from tests.waiting import eventually

AGES = ("seen", "seen_pos", "messages", "rssi")
BOXES = [None, [7.0, 46.0, 9.5, 48.25], [5.5, 45.5, 8.0, 47.0], [-180, -90, 180, 90]]


def list_of(aircraft: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {a["hex"]: {k: v for k, v in a.items() if k not in AGES} for a in aircraft}


def step(chance: random.Random, aircraft: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same aircraft a second later: some moved, some gone, some new."""
    found = {h: dict(a) for h, a in aircraft.items() if chance.random() > 0.03}
    for a in found.values():
        if "lat" in a and chance.random() < 0.4:
            a["lat"], a["lon"] = a["lat"] + chance.gauss(0, 0.1), a["lon"] + chance.gauss(0, 0.1)
        a["military"] = a["military"] ^ (chance.random() < 0.01)
    for _ in range(chance.randrange(6)):
        where = {"lat": chance.uniform(45, 49), "lon": chance.uniform(5, 11)} if chance.random() < 0.9 else {}
        found[f"{chance.randrange(1 << 24):06x}"] = {"military": chance.random() < 0.1, "note": "x" * 300, **where}
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_happens_the_lists_end_equal_to_the_rest_list(make_runtime, seed):
    async def scenario():
        chance = random.Random(seed)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_messages_per_s=1000)
        api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
        skies, aircraft = Skies(), step(chance, {})
        publish_sky(runtime, skies.next(aircraft))
        slowness: dict[Client, float] = {}
        seqs: dict[Client, list[int]] = {}

        async def follow(client: Client) -> None:
            async for event in client:
                seqs[client].append(event.seq)
                await asyncio.sleep(slowness.get(client, 0.0))

        async with serving(runtime) as server:
            url = f"ws://127.0.0.1:{server.port}{server.path}"
            clients = [Client(url, ["aircraft", "military"], bbox=BOXES[n % 4], first_pause_s=0.02) for n in range(8)]
            for client in clients:
                seqs[client] = []
            tasks = [asyncio.create_task(follow(client)) for client in clients]
            for _ in range(80):
                aircraft = step(chance, aircraft)
                publish_sky(runtime, skies.next(aircraft))
                if chance.random() < 0.2 and server.connections:
                    chance.choice(list(server.connections)).transport.abort()
                if chance.random() < 0.2:
                    await chance.choice(clients).move(chance.choice(BOXES))
                if chance.random() < 0.2:
                    slowness[chance.choice(clients)] = chance.choice([0.0, 0.0, 0.05])
                await asyncio.sleep(0.02)
            slowness.clear()
            publish_sky(runtime, skies.next(aircraft))
            for client in clients:
                for topic, more in (("aircraft", {}), ("military", {"military": "true"})):
                    box = {"bbox": ",".join(map(str, client.bbox))} if client.bbox is not None else {}
                    listed = list_of(api.get("/api/v1/aircraft", {"limit": "1000", **box, **more}).json["aircraft"])
                    held = client.lists[topic]
                    # The last tick may come before the area that was chosen last, and after a list that is the same.
                    await eventually(
                        lambda held=held, listed=listed: (
                            held.seq == skies.last.seq and list_of([*held.aircraft.values()]) == listed
                        ),
                        "the end",
                    )
                assert client.last_error != "a seq was skipped; starting over"
                # Many ticks came as one where the loop had no time for more.
                assert len(seqs[client]) > 10
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(scenario())
