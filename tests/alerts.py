"""A stage for alerts: made-up aircraft drive the real monitor, second by second, on a real database."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from skywatch.alerts.engine.operands.documents import SkyMaker
from skywatch.alerts.monitor import create
from skywatch.picture.state.clock import Completion
from tests.waiting import until

STATION = (47.45, 8.56)
START = 1_790_000_000.0


class AlertStage:
    """The monitor of one tracker on a runtime, with a clock that the test moves, and what was published.

    Where the database ``is_away``, nothing is written until ``come_back``.
    """

    def __init__(self, runtime: Any, start: float = START, *, is_away: bool = False) -> None:
        self.runtime = runtime
        self.is_away = is_away
        self.now = start
        self.events: list[tuple[str, dict[str, Any], Any]] = []
        self.messages: list[Any] = []
        self._subscription = runtime.bus.subscribe(["alerts"], self._on_message)
        self.begin()

    def _on_message(self, message: Any) -> None:
        self.messages.append(message)
        self.events.append((message.event, json.loads(message.data), message.audience))

    def begin(self) -> None:
        """A tracker starts; rules are read when ``reload`` says so."""
        self.maker = SkyMaker(STATION)
        # None: every picture is complete, as that of a tracker that has run for a while.
        self.completion: Completion | None = None
        self.monitor = create(self.runtime)
        if not self.is_away:
            self.monitor._writer.start()
        self.monitor._load()

    def come_back(self) -> None:
        """The database takes what has waited; returns when it is written."""
        self.is_away = False
        self.monitor._writer.start()
        self.settle()

    def restart(self, timeout_s: float | None = None) -> None:
        """The tracker stops and another one starts; with ``timeout_s`` its picture is complete after that time."""
        self.monitor._writer.close()
        self.monitor._subscription.close()
        self.begin()
        self.completion = Completion(timeout_s) if timeout_s is not None else None

    def reload(self) -> None:
        """Look for changed rules, as happens once a second."""
        self.monitor._load()

    def tick(self, *aircraft: dict[str, Any], seconds: float = 1.0) -> None:
        """The next second with these aircraft; returns when everything is written."""
        self.now += seconds
        sky = self.maker.sky(aircraft, self.now)
        if self.completion is not None:
            sky = replace(sky, is_complete=self.completion.tick(self.now))
        self.monitor.on_tick(sky)
        self.settle()

    def settle(self) -> None:
        """Wait until everything is written, unless the database is away."""
        until(lambda: self.is_away or self.monitor._queue.depth == 0)

    def told(self, event: str) -> list[dict[str, Any]]:
        """What was published under this name."""
        return [data for name, data, _ in self.events if name == event]

    def close(self) -> None:
        """Stop."""
        self._subscription.close()
        self.monitor._writer.close()
        self.monitor._subscription.close()


def aircraft(number: int = 1, **members: Any) -> dict[str, Any]:
    """An aircraft near the station."""
    return {"hex": f"4b16{number:02x}", "flight": f"SWR{number}", "lat": 47.46, "lon": 8.57, "alt_baro": 3000} | members


def test_of(field: str, op: str, value: Any) -> dict[str, Any]:
    """A test."""
    return {"field": field, "op": op, "value": value}


test_of.__test__ = False  # type: ignore[attr-defined]
LOW = test_of("alt_baro", "lt", 5000)
BOX = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 48], [8, 47]]]}
