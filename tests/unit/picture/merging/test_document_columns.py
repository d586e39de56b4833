"""A document that stays columns makes the same picture as its reports would, whoever else is heard."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.readsb.bincraft import encode_rows
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns
from skywatch.security.visibility import EVERYTHING
from tests.skies import sky_of
from tests.unit.picture.reports import START, Clock, picture_at, snapshot
from tests.unit.receivers.reports.test_bincraft import drawn

SECONDS = 25
STEADY = ("flight", "r", "t", "squawk", "category", "version", "nic", "type")


def documents(seed: int) -> list[bytes]:
    """A source second by second: aircraft come, fall silent, are left out for a while, and go."""
    chance = random.Random(seed)
    known: dict[int, dict[str, Any]] = {}
    bodies = []
    for second in range(SECONDS):
        for number in range(second, second + 40):
            entry = drawn(chance, number)
            before = known.get(number)
            if before is not None and chance.random() < 0.9:
                entry |= {name: before[name] for name in STEADY if name in before}
            entry["hex"] = f"{'~' if number % 7 == 0 else ''}{number + 1:06x}"
            entry["seen"] = chance.choice([0.0, 0.4, 3.0, 19.5, 25.0, 58.0, 61.0])
            known[number] = entry
        shown = [known[number] for number in range(second, second + 40) if chance.random() < 0.9]
        chance.shuffle(shown)
        sky = sky_of(*shown, now=START + second)
        bodies.append(encode_rows(sky, range(len(shown)), EVERYTHING))
    return bodies


def play(
    bodies: list[bytes],
    form: Callable[[Sequence[Report]], Sequence[Report]],
    meanwhile: Callable[..., None],
    **settings: Any,
) -> list[Sky]:
    clock = Clock()
    picture = picture_at(clock, epoch="e", **settings)
    reader, skies = DocumentReader(Counter()), []
    for second, body in enumerate(bodies):
        batch = reader.read(body, clock.time(), 0.0)
        assert batch is not None
        assert isinstance(batch.reports, ReportColumns)
        picture.put("roof", form(batch.reports), batch.messages, batch.positions)
        meanwhile(picture, clock, second)
        skies.append(picture.tick())
        clock.advance(1.0)
    return skies


def compare(ones: list[Sky], others: list[Sky]) -> None:
    for one, other in zip(ones, others, strict=True):
        assert one.hexes == other.hexes
        assert one.encoded == other.encoded
        assert one.details == other.details
        assert (one.left, one.messages, one.receivers) == (other.left, other.messages, other.receivers)
        for name, column in one.columns.items():
            np.testing.assert_array_equal(column, other.columns[name], name)


def alone(picture: Picture, clock: Clock, second: int) -> None:
    """Nobody else is heard."""


def with_another(picture: Picture, clock: Clock, second: int) -> None:
    """A second receiver of ours comes and goes."""
    if 5 <= second < 9 or second == 15:
        reports = [
            snapshot(f"{number + 1:06x}", clock.time() - 0.5, lat=47.0, lon=8.0)
            for number in range(second, second + 20)
        ]
        picture.put("attic", reports, len(reports))


def with_a_stranger(picture: Picture, clock: Clock, second: int) -> None:
    """One that is not ours says something else."""
    reports = [
        snapshot(f"{number + 1:06x}", clock.time() - 0.5, squawk="1234") for number in range(second, second + 20)
    ]
    picture.put("feeder-1", reports, len(reports), voice=Voice("somebody", "192.0.2.0/24"))


def with_questions(picture: Picture, clock: Clock, second: int) -> None:
    """The picture is saved, read and its clock is set."""
    if second % 4 == 2:
        picture.save()
    if second % 5 == 3:
        assert picture.reports_of("roof")
    if second == 11:
        clock.set(3600.0)


@pytest.mark.parametrize("meanwhile", [alone, with_another, with_a_stranger, with_questions])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", [{}, {"maximum": 45}, {"proof": True}])
def test_columns_make_the_picture_of_their_reports(
    seed: int, meanwhile: Callable[..., None], settings: dict[str, Any]
) -> None:
    bodies = documents(seed)
    compare(play(bodies, lambda reports: reports, meanwhile, **settings), play(bodies, list, meanwhile, **settings))


def test_nobody_makes_reports_while_one_receiver_is_heard() -> None:
    given: list[Sequence[Report]] = []

    def keep(reports: Sequence[Report]) -> Sequence[Report]:
        given.append(reports)
        return reports

    play(documents(4), keep, alone)
    assert not any(reports.is_made for reports in given if isinstance(reports, ReportColumns))
    assert len(given) == SECONDS


def test_whoever_asks_meanwhile_takes_nothing_from_the_picture() -> None:
    clock = Clock()
    picture = picture_at(clock)
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            picture.report_of("roof", "4b0007")

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(40):
            reports = ReportColumns.of([snapshot(f"4b{number:04x}", clock.time()) for number in range(500)])
            picture.put("roof", reports, len(reports))
            assert len(picture.tick()) == 500
            clock.advance(1.0)
    finally:
        is_over.set()
        asking.join()
    assert picture.report_of("roof", "4b0007") == picture.reports_of("roof")["4b0007"]
    assert picture.report_of("roof", "4bffff") is None
