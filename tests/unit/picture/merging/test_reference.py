"""The merge of a tick equals a plain one, in whatever order reports arrive, whatever is lost, by whatever clocks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.picture.merging.field_validator import Verdict
from skywatch.picture.merging.receiver_views import ReceiverViews
from skywatch.picture.merging.tick_merge import gather
from skywatch.picture.state.fields import AIRFRAME_FIELDS, LIFETIME_S
from skywatch.picture.state.receiver_view import clear_airframes
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL, Voice
from skywatch.receivers.reports.receiver_names import FEEDERS
from skywatch.receivers.reports.report import ReducedReport, Report
from tests.unit.picture.merging.reference import merged, view_of
from tests.unit.picture.reports import START

VALUES: dict[str, list[Any]] = {
    "flight": ["SWR1", "DLH2"], "squawk": ["1000", "7700"], "emergency": ["none", "general"],
    "alt_baro": [900, "ground"], "alt_geom": [1_000, 20_000], "gs": [10.0, 400.0], "track": [1.0, 200.0],
    "baro_rate": [0, 2_000], "geom_rate": [-500, 800], "ias": [200.0, 300.0], "mach": [0.4, 0.8], "wd": [10.0, 20.0],
    "nav_qnh": [1013.0, 990.0], "nav_modes": [["vnav"], []], "acas_ra": [{"ra": 1}, {"ra": 2}], "alert": [0, 1],
    "spi": [0, 1], "category": ["A1", "A3"], "version": [0, 2], "nac_p": [8, 9], "sil": [1, 3],
}  # fmt: skip
AIRFRAMES = {"r": ["D-AIZZ", "HB-ABC"], "t": ["A320", "B738"], "dbFlags": [0, 1], "year": ["1999", "2001"]}
# Where positions are is decided elsewhere.
MERGED = (*(name for name in LIFETIME_S if name not in ("lat", "lon")), *AIRFRAME_FIELDS)
TYPES = ["adsb_icao", "adsb_icao", "mode_s", "mlat", "tisb_icao"]
# Ages (s) on either side of all times that decide; a clock is wrong by half a second.
AGES = [0.0, 0.0, 0.0, 1.0, 4.0, 13.0, 17.0, 30.0, 58.0, 70.0, 170.0, 190.0]
CLOCK_S = 0.5
AIRCRAFT = 30
WORLDS, FURTHER_WORLDS = 16, 700
Spoken = dict[str, tuple[Voice, dict[str, list[Report]]]]


class Unanimous:
    """Finds no contradictions."""

    def review(self, reported: Sequence[Any], names: Sequence[str], hexes: list[str], now: float) -> Verdict:
        """Exclude nobody."""
        return Verdict([np.empty(0, "i8") for _ in reported])

    def note_right(self, receiver: str, positions: int, reports: int) -> None:
        """Nobody asks who was right."""


class World:
    """Receivers of ours and of strangers, and what each said of each aircraft until ``now`` (unix s)."""

    def __init__(self, seed: int) -> None:
        self.now = START
        self._chance = chance = random.Random(seed)
        receivers = {f"own-{number}": OURS for number in range(chance.choice([0, 1, 1, 2, 3]))}
        for number in range(chance.choice([0, 0, 1, 2, 4])):
            receivers[f"feeder-{number}"] = Voice(f"user-{chance.randrange(3)}", f"10.0.{chance.randrange(3)}.1/32")
        if chance.random() < 0.3 or not receivers:
            receivers[FEEDERS] = SEVERAL
        self.said = {name: (receivers[name], self._said_by(name)) for name in sorted(receivers)}

    def _said_by(self, receiver: str) -> dict[str, list[Report]]:
        """What one says that sends snapshots or single messages, of which some are lost."""
        chance = self._chance
        is_snapshot = receiver != FEEDERS and chance.random() < 0.5
        share, loss = chance.choice([0.1, 0.5, 0.9]), chance.choice([0.0, 0.3])
        said = {}
        for number in range(AIRCRAFT):
            airframe = {} if receiver == FEEDERS else self._some(AIRFRAMES, share)
            reports = [
                self._report(f"4b16{number:02x}", is_snapshot, share, receiver == FEEDERS, airframe)
                for _ in range(1 if is_snapshot else chance.randrange(1, 4))
                if chance.random() >= loss
            ]
            if reports:
                said[reports[0].hex] = reports
        return said

    def _report(
        self, address: str, is_snapshot: bool, share: float, is_reduced: bool, airframe: dict[str, Any]
    ) -> Report:
        chance = self._chance
        at = self.now - chance.choice(AGES) + chance.uniform(-CLOCK_S, CLOCK_S)
        fields, position_at = self._some(VALUES, share) | airframe, 0.0
        if chance.random() < share:
            fields |= {"lat": 47.0, "lon": 8.0, "nic": chance.choice([7, 8]), "rc": chance.choice([75, 186])}
            position_at = at - (chance.choice([0.0, 0.3, 5.0]) if is_snapshot else 0.0)
        if is_snapshot and chance.random() < 0.2:
            fields["mlat"] = chance.choice([(), ("lat", "lon", "nic", "rc"), ("gs", "track")])
        if is_reduced:
            fields |= {"voices": chance.choice([1, 2]), "is_divided": chance.random() < 0.2}
        kind = ReducedReport if is_reduced else Report
        return kind(
            address, at, position_at, is_snapshot, chance.choice(TYPES), messages=chance.randrange(1, 9), **fields
        )

    def _some(self, values: dict[str, list[Any]], share: float) -> dict[str, Any]:
        chance = self._chance.random
        return {name: some[chance() < 0.5] for name, some in values.items() if chance() < share}

    def books(self) -> list[ReceiverViews]:
        """What the picture keeps of it, where the reports of a second arrive in any order."""
        books = []
        for index, (name, (voice, said)) in enumerate(self.said.items()):
            reports = [copied(report) for reports in said.values() for report in reports]
            self._chance.shuffle(reports)
            reports.sort(key=lambda report: round(report.at - self.now))
            if not voice.is_ours:
                clear_airframes(reports)
            books.append(ReceiverViews(name, index, voice))
            books[-1].put(reports, [report.hex for report in reports])
        return books


def copied(report: Report) -> Report:
    return type(report)(*(getattr(report, name) for name in report.__struct_fields__))


def compare(seed: int) -> int:
    """Compare the merge of a drawn world with the plain one; how many aircraft it has."""
    world = World(seed)
    books, unanimous = world.books(), Unanimous()
    gathered = gather(books, {}, world.now, {True: unanimous, False: unanimous}, list(world.said))  # type: ignore[dict-item]
    columns = {name: gathered.values[name] for name in MERGED}
    assert set(gathered.hexes) == {address for _, said in world.said.values() for address in said}
    for row, address in enumerate(gathered.hexes):
        views = [view_of(voice, said[address], world.now) for voice, said in world.said.values() if address in said]
        values, at, messages = merged(views, world.now)
        shown = {name: column[row] for name, column in columns.items() if column[row] is not UNSET}
        assert shown == {name: value for name, value in values.items() if name in columns}, (seed, address, views)
        assert (gathered.values["at"][row], gathered.values["messages"][row]) == (at, messages), (seed, address, views)
    return len(gathered.hexes)


@pytest.mark.parametrize("part", range(6))
def test_the_merge_equals_the_plain_one(part: int) -> None:
    assert sum(compare(part * WORLDS + seed) for seed in range(WORLDS)) > 300


@pytest.mark.parametrize("seed", [1_000_047, 4_000_364, 5_000_276])
def test_a_position_that_completes_another_report_is_as_old_as_it_was_there(seed: int) -> None:
    assert compare(seed) == AIRCRAFT


@pytest.mark.nightly("100,000 drawn aircraft")
@pytest.mark.parametrize("part", range(5))
def test_the_merge_equals_the_plain_one_in_further_worlds(part: int) -> None:
    assert sum(compare((1 + part) * 1_000_000 + seed) for seed in range(FURTHER_WORLDS)) > 20_000
