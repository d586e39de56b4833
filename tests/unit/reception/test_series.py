"""The series of what each receiver brought: slots, gaps, bounds, and a restart."""

from dataclasses import replace

from skywatch.core.bus import Message
from skywatch.core.bus.memory import MemoryBus
from skywatch.receivers.base import ReceiverStatus
from skywatch.reception import series as receiver_series
from skywatch.reception.series import (
    SAMPLE_S,
    SLOT_S,
    SLOTS,
    ReceiverRecorder,
    aircraft_by_receiver,
    last_reception,
    publish_reception,
)
from tests.skies import sky_of

START = 1_000_000 * SLOT_S


def status(name="roof", rate=10.0):
    return ReceiverStatus(name=name, kind="beast", address="x", state="connected", message_rate=rate)


def series(recorder, name="roof"):
    return [slot and slot.messages for slot in recorder.series.receivers[name]]


def test_samples_of_a_slot_become_their_mean_and_the_next_slot_starts_over():
    recorder = ReceiverRecorder()
    assert not recorder.take(START, [status(rate=10)], None)
    assert not recorder.take(START + SLOT_S - 1, [status(rate=20)], None)
    assert series(recorder)[-1] == 15
    assert recorder.take(START + SLOT_S, [status(rate=40)], None)
    assert series(recorder)[-2:] == [15, 40]
    assert len(series(recorder)) == SLOTS
    assert recorder.series.observed_s("roof") == 3 * SAMPLE_S
    assert recorder.series.observed_s("attic") == 0


def test_time_without_samples_is_a_gap_and_a_day_later_nothing_is_left():
    recorder = ReceiverRecorder()
    recorder.take(START, [status()], None)
    recorder.take(START + 3 * SLOT_S, [status("attic")], None)
    assert series(recorder)[-4:] == [10, None, None, None]
    assert series(recorder, "attic")[-2:] == [None, 10]
    recorder.take(START + (SLOTS + 1) * SLOT_S, [status("attic")], None)
    assert list(recorder.series.receivers) == ["attic"]


def test_a_clock_that_was_set_back_goes_on_in_the_newest_slot():
    recorder = ReceiverRecorder()
    recorder.take(START, [status(rate=10)], None)
    assert not recorder.take(START - 5 * SLOT_S, [status(rate=30)], None)
    assert series(recorder)[-2:] == [None, 20]


def test_receivers_beyond_the_bound_are_left_out(monkeypatch):
    monkeypatch.setattr(receiver_series, "MAX_RECEIVERS", 2)
    recorder = ReceiverRecorder()
    recorder.take(START, [status("a"), status("b"), status("c")], None)
    assert list(recorder.series.receivers) == ["a", "b"]


def test_aircraft_count_for_the_receiver_of_their_position():
    sky = sky_of(
        {"hex": "4b0001", "lat": 47.0, "lon": 8.0},
        {"hex": "4b0002", "lat": 47.0, "lon": 8.0, "military": True},
        {"hex": "4b0003", "lat": 47.0, "lon": 8.0},
        {"hex": "4b0004"},
    )
    sky.columns["receiver"][:] = (0, 1, 1, 0)
    sky = replace(sky, receivers=("roof", "attic"))
    assert aircraft_by_receiver(sky) == {"roof": (1, 1), "attic": (2, 1)}
    recorder = ReceiverRecorder()
    recorder.take(START, [status("attic")], sky)
    means = recorder.series.receivers["attic"][-1]
    assert (means.aircraft, means.civil) == (2, 1)
    # A sample without the picture halves the means.
    recorder.take(START + 1, [status("attic")], None)
    assert (means.aircraft, means.civil, means.samples) == (1, 0.5, 2)


def test_other_processes_read_the_series_from_the_bus():
    bus = MemoryBus()
    assert last_reception(bus) is None
    recorder = ReceiverRecorder()
    recorder.take(START, [status()], None)
    publish_reception(bus, recorder.series)
    assert last_reception(bus) == recorder.series
    bus.publish(Message(receiver_series.TOPIC, "reception", b"[]", snapshot=True))
    assert last_reception(bus) is None
