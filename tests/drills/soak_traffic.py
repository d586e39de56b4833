"""What is on in the soak in addition to aircraft: alert rules, ACARS messages and recordings."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import socket
import time
from pathlib import Path
from typing import Any

import httpx

from tests.audio import sound

ACARS_A_SECOND = 5.0
RECORDING_EVERY_S = 20.0
LABELS = ("SQ", "Q0", "H1", "5Z", "15", "80", "_d")


def paths(hex_: str) -> tuple[str, ...]:
    """What callers read in turn: the sky, one aircraft, the past and the state of the service."""
    return (
        "/aircraft?limit=200",
        f"/aircraft/{hex_}",
        "/aircraft?bbox=7,46,9,48&sort=distance",
        "/history/flights?limit=50",
        f"/history/tracks/{hex_}",
        "/system/status",
        "/system/health",
        f"/aircraft/airframes/{hex_}",
        "/alerts/rules",
        "/safety/events",
        "/alerts/history",
        "/acars/messages?q=position",
        "/audio/transmissions",
    )


def rules() -> list[dict[str, Any]]:
    """Rules of every kind: single tests, trees, expressions, a count, and a fence."""
    conditions: list[dict[str, Any]] = [
        {"field": "military", "op": "eq", "value": True},
        {"field": "squawk", "op": "in", "value": ["7500", "7600", "7700"]},
        {"all": [{"field": "alt_baro", "op": "lt", "value": 5000}, {"field": "distance_nm", "op": "lt", "value": 20}]},
        {"field": "flight", "op": "matches", "value": "^(SWR|EZY)[0-9]+[A-Z]?$"},
        {"not": {"field": "gs", "op": "lt", "value": 450}},
        {"field": "acars_text", "op": "contains", "value": "DIVERT"},
    ]
    made = [
        {"name": f"Soak {number}", "conditions": conditions[number % len(conditions)], "cooldown_s": 60}
        for number in range(30)
    ]
    crowd = {"field": "distance_nm", "op": "lt", "value": 30}
    return [*made, {"name": "Crowd", "conditions": crowd, "count": {"op": "gt", "value": 40}}]


async def make_rules(client: httpx.AsyncClient) -> None:
    """Create the rules; raises httpx.HTTPStatusError where one is refused."""
    for rule in rules():
        (await client.post("/api/v1/alerts/rules", json=rule)).raise_for_status()


async def send_messages(port: int, flights: list[str]) -> None:
    """ACARS messages over UDP as acarsdec sends them, of aircraft in the sky."""
    draw = random.Random(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in itertools.count():
            message = {
                "timestamp": time.time(),
                "station_id": "SOAK",
                "freq": 131.55,
                "level": -10.0,
                "mode": "2",
                "label": draw.choice(LABELS),
                "block_id": str(number % 10),
                "msgno": f"M{number % 90 + 10}A",
                "flight": draw.choice(flights),
                "tail": f".HB-{number % 1000:03}",
                "text": f"POSITION REPORT {number} WIND {draw.randrange(360):03} DIVERT NEGATIVE",
            }
            sender.sendto(json.dumps(message).encode(), ("127.0.0.1", port))
            await asyncio.sleep(1 / ACARS_A_SECOND)


async def put_recordings(folder: Path) -> None:
    """Recordings as rtl_airband leaves them."""
    while True:
        name = f"TWR_{time.strftime('%Y%m%d_%H%M%S', time.gmtime())}_118100000.wav"
        hidden = folder / f".{name}"
        hidden.write_bytes(sound(seconds=4.0))
        hidden.rename(folder / name)
        await asyncio.sleep(RECORDING_EVERY_S)
