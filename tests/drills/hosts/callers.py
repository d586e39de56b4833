"""Subscribers and requests through the proxy, and what each of them sees."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx

from skywatch.client.channel import Event
from skywatch.core.database.fencing import term_of
from tests.drills.rolling import Subscribers

_LOOK_EVERY_S = 0.05
# What changes with time alone, or is not part of every view.
_LEFT_OUT = ("seen", "seen_pos", "messages", "rssi")


class Watchers(Subscribers):
    """Subscribers that keep when ticks came, and how long each was without one."""

    def __init__(self, url: str, token: str, count: int) -> None:
        self.newest, self._newest_at = 0.0, time.monotonic()
        self._last_at = [time.monotonic()] * count
        self._broke_at: dict[int, float] = {}
        self._states: dict[float, list[dict[str, Any]]] | None = None
        self.forget()
        super().__init__(url, token, count)
        self._looking = asyncio.run_coroutine_threadsafe(self._look(), self._loop)

    def forget(self) -> None:
        """Begin to measure: the longest time between ticks that anybody saw, that one saw, and until one was back."""
        self.gap_s, self.longest_s, self.back_s = 0.0, 0.0, 0.0
        self.broken: set[int] = set()
        # When each tick came first, and its time and epoch (unix s).
        self.ticks: list[tuple[float, float, str | None]] = []

    def close(self) -> None:
        """End."""
        self._looking.cancel()
        super().close()

    def gap_until_now_s(self) -> float:
        """The longest time between ticks, the one that goes on included."""
        return max(self.gap_s, time.monotonic() - self._newest_at)

    def late(self, age_s: float) -> int:
        """How many are not connected or have no tick that is younger."""
        now = time.monotonic()
        pairs = zip(self.clients, self._last_at, strict=True)
        return sum(not client.connected or now - at > age_s for client, at in pairs)

    async def _look(self) -> None:
        """Note when connections break."""
        was = [True] * len(self.clients)
        while True:
            for number, client in enumerate(self.clients):
                if was[number] and not client.connected:
                    self._broke_at.setdefault(number, time.monotonic())
                    self.broken.add(number)
                was[number] = client.connected
            await asyncio.sleep(_LOOK_EVERY_S)

    def _take(self, number: int, event: Event) -> None:
        if event.topic != "aircraft":
            super()._take(number, event)
            return
        now, picture = time.monotonic(), self.clients[number].lists["aircraft"]
        # A picture that ages without a tracker has an epoch of its own, made from the tracker's.
        epoch = str(picture.epoch).partition(".")[0]
        is_of_tracker = "-" not in epoch.removeprefix(f"{term_of(epoch)}-")
        if is_of_tracker and picture.now > self.newest:
            self.gap_s = max(self.gap_s, now - self._newest_at)
            self.newest, self._newest_at = picture.now, now
            self.ticks.append((time.time(), picture.now, picture.epoch))
        self.longest_s = max(self.longest_s, now - self._last_at[number])
        self._last_at[number] = now
        broke_at = self._broke_at.pop(number, None)
        if broke_at is not None:
            self.back_s = max(self.back_s, now - broke_at)
        if self._states is not None:
            self._states.setdefault(picture.now, []).append(_content(picture.aircraft.values()))

    def unequal(self, client: httpx.Client, base: str, tries: int = 20) -> int:
        """How many subscribers' pictures differ from what REST answers of the same moment."""
        self._states = {}
        answers: dict[float, dict[str, Any]] = {}
        try:
            for _ in range(tries):
                answer = client.get(f"{base}/aircraft", params={"limit": 1000})
                if answer.status_code == 200:
                    document = _decoded(answer.text)
                    answers[document["now"]] = _content(document["aircraft"])
                time.sleep(0.3)
                whole = [now for now in answers if len(self._states.get(now, ())) == len(self.clients)]
                if len(whole) > 1:
                    return max(sum(state != answers[now] for state in list(self._states[now])) for now in whole)
        finally:
            self._states = None
        raise AssertionError(f"no moment that REST and all subscribers had in common in {tries} answers")


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise AssertionError(f"{error}: ...{text[max(0, error.pos - 1000) : error.pos + 1000]}...") from None


def _content(aircraft: Any) -> dict[str, Any]:
    return {one["hex"]: {name: one[name] for name in one if name not in _LEFT_OUT} for one in aircraft}
