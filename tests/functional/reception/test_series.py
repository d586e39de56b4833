"""The series of the receivers outlives a restart of the tracker."""

from types import SimpleNamespace

import pytest

from skywatch.picture.storage import saved_picture as saved
from skywatch.receivers.base import ReceiverStatus
from skywatch.reception import series as receiver_series
from skywatch.reception.series import SLOT_S, ReceiverRecorder, SeriesTask, last_reception

START = 1_000_000 * SLOT_S


def status(name="roof", rate=10.0):
    return ReceiverStatus(name=name, kind="beast", address="x", state="connected", message_rate=rate)


def series(recorder, name="roof"):
    return [slot and slot.messages for slot in recorder.series.receivers[name]]


def test_a_restart_goes_on_with_what_was_saved(make_runtime):
    runtime = make_runtime()
    before, after = ReceiverRecorder(), ReceiverRecorder()
    after.restore(runtime.sessions)
    assert after.series.receivers == {}
    before.take(START, [status(rate=12)], None)
    before.save(runtime.sessions)
    after.restore(runtime.sessions)
    after.take(START + 2 * SLOT_S, [status(rate=7)], None)
    assert series(after)[-3:] == [12, None, 7]


@pytest.mark.parametrize("data", [b"nonsense", b'{"newest": 1, "receivers": {"roof": []}}'])
def test_a_damaged_series_is_refused(make_runtime, data):
    runtime = make_runtime()
    saved.write(runtime.sessions, {receiver_series.SAVED: data})
    recorder = ReceiverRecorder()
    with pytest.raises(ValueError, match="saved reception"):
        recorder.restore(runtime.sessions)
    recorder.take(START, [status()], None)
    assert series(recorder)[-1] == 10


def test_the_task_publishes_what_it_samples_and_saves_it_at_its_end(make_runtime, monkeypatch):
    runtime = make_runtime()
    monkeypatch.setattr(receiver_series, "published_receivers", lambda bus: [status(rate=33)])
    task = SeriesTask(runtime)
    task.record()
    (means,) = [slot for slot in last_reception(runtime.bus).receivers["roof"] if slot]
    assert means.messages == 33
    task.close()
    later = ReceiverRecorder()
    later.restore(runtime.sessions)
    assert series(later)[-1] == 33


def test_the_receivers_are_sampled_and_the_series_is_published_on_time(make_runtime, monkeypatch):
    runtime, now, published = make_runtime(), [0.0], []
    monkeypatch.setattr(receiver_series, "time", SimpleNamespace(monotonic=lambda: now[0]))
    runtime.bus.subscribe((receiver_series.TOPIC,), lambda message: published.append(now[0]))
    task = SeriesTask(runtime)
    while now[0] < 85:
        now[0] += task._work()
    assert published == [10, 70]
