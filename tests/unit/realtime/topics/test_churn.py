"""Whatever happens to a subscriber, what it was told adds up to the list: ticks, restarts, breaks, areas, slowness."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from skywatch.picture.state.sky import Sky
from skywatch.realtime.topics.areas import Area
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from tests.realtime import Skies
from tests.unit.realtime.listeners import ModelClient, comparable

pytestmark = pytest.mark.deep("walks a corpus")

ADDRESSES = [f"4b16{number:02x}" for number in range(12)]
# Positions that lie on, just next to and far from the edges of tiles and areas, the poles and the date line.
LATITUDES = [-90.0, -0.001, 0.0, 45.0, 46.999, 47.0, 47.5, 48.0, 89.5, 90.0]
LONGITUDES = [-180.0, -179.5, -0.5, 0.0, 7.0, 7.5, 8.0, 9.999, 10.0, 179.5, 180.0]
AREAS = [
    None,
    Area(7.0, 47.0, 10.0, 48.0),
    Area(6.5, 44.5, 9.5, 47.5),
    Area(170.0, -90.0, -170.0, 90.0),
    Area(-180.0, -90.0, 180.0, 90.0),
    Area(7.5, 47.5, 7.5, 47.5),
]

aircraft = st.fixed_dictionaries(
    {"military": st.booleans(), "alt": st.integers(0, 2)},
    optional={"r": st.sampled_from(["HB-IJS", "D-AIZZ"])},
)
positions = st.one_of(st.none(), st.tuples(st.sampled_from(LATITUDES), st.sampled_from(LONGITUDES)))


class Churn(RuleBasedStateMachine):
    clients = Bundle("clients")

    @initialize()
    def start(self) -> None:
        self.live = LiveTopics()
        self.skies = Skies("epoch0")
        self.starts = 0
        self.now: dict[str, dict[str, Any]] = {}
        self.waiting: list[Sky] = []
        self.watching: dict[ModelClient, LiveView] = {}
        self.tick()

    def tick(self, times: int = 1) -> None:
        waiting, self.waiting = self.waiting, []
        self.live.tick([*waiting, *(self.skies.next(self.now) for _ in range(times))])

    def expected(self, view: LiveView) -> dict[str, dict[str, Any]]:
        shown = {}
        for address, a in self.now.items():
            if view.population != "all" and a["military"] != (view.population == "military"):
                continue
            lat, lon = a.get("lat"), a.get("lon")
            if view.area is not None and (lat is None or not view.area.inside(lat, lon)):
                continue
            shown[address] = {"hex": address} | {k: v for k, v in a.items() if view.details or k != "r"}
        return shown

    @rule(address=st.sampled_from(ADDRESSES), fields=aircraft, position=positions, publish=st.booleans())
    def an_aircraft_comes_or_changes(self, address: str, fields: dict[str, Any], position: Any, publish: bool) -> None:
        where = {"lat": position[0], "lon": position[1]} if position is not None else {}
        self.now = self.now | {address: fields | where}
        if publish:
            self.tick()

    @rule(address=st.sampled_from(ADDRESSES), publish=st.booleans())
    def an_aircraft_goes(self, address: str, publish: bool) -> None:
        self.now = {a: fields for a, fields in self.now.items() if a != address}
        if publish:
            self.tick()

    @rule(times=st.integers(1, 3))
    def nothing_happens_for_a_while(self, times: int) -> None:
        self.tick(times)

    @rule()
    def a_tick_waits_for_the_next(self) -> None:
        self.waiting.append(self.skies.next(self.now))

    @rule()
    def ticks_are_missed(self) -> None:
        self.skies.next(self.now)
        self.tick()

    @rule()
    def the_tracker_restarts(self) -> None:
        self.starts += 1
        self.skies = Skies(f"epoch{self.starts}", seq=self.starts * 3)
        self.tick()

    @rule(
        target=clients,
        population=st.sampled_from(["all", "civil", "military"]),
        details=st.booleans(),
        area=st.sampled_from(AREAS),
    )
    def somebody_comes(self, population: Any, details: bool, area: Area | None) -> ModelClient:
        client = ModelClient()
        self.watching[client] = LiveView("aircraft", population, details, area)
        self.live.join(client, self.watching[client], None)
        client.read()
        assert client.snapshots == 1
        return client

    @rule(client=clients)
    def somebody_goes(self, client: ModelClient) -> None:
        view = self.watching.pop(client, None)
        if view is not None:
            client.outbox.congested = False
            self.live.leave(client, view)
            client.outbox.frames.clear()  # Lost on the way: the client has only what it read.
            client.gone_from = view  # type: ignore[attr-defined]

    @rule(client=clients, same_view=st.booleans())
    def somebody_comes_back(self, client: ModelClient, same_view: bool) -> None:
        if client in self.watching:
            return
        view: LiveView = client.gone_from  # type: ignore[attr-defined]
        if not same_view:
            view = LiveView(view.topic, view.population, not view.details, view.area)
        self.watching[client] = view
        self.live.join(client, view, client.point)

    @rule(client=clients, area=st.sampled_from(AREAS))
    def somebody_looks_elsewhere(self, client: ModelClient, area: Area | None) -> None:
        view = self.watching.get(client)
        if view is not None and not client.outbox.congested:
            self.live.leave(client, view)
            self.watching[client] = LiveView(view.topic, view.population, view.details, area)
            self.live.join(client, self.watching[client], None)

    @rule(client=clients)
    def somebody_stops_reading(self, client: ModelClient) -> None:
        client.outbox.congested = True

    @rule(client=clients)
    def somebody_reads_again(self, client: ModelClient) -> None:
        if client.outbox.congested:
            client.outbox.congested = False
            if client in self.watching:
                self.live.catch_up(client, self.watching[client])

    @invariant()
    def who_reads_has_the_list(self) -> None:
        if not hasattr(self, "live"):
            return
        published = self.skies.last
        assert published is not None
        for client, view in self.watching.items():
            if client.outbox.congested:
                continue
            client.read()
            if self.waiting:
                continue
            assert client.seq == published.seq
            if {a: tuple(sorted(f.items())) for a, f in self.now.items()} == self.skies._shown:
                assert comparable(client.aircraft) == comparable(self.expected(view))


Churn.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
TestChurn = Churn.TestCase
