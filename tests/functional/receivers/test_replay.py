"""Recordings played as if it were now."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from pathlib import Path

import pytest

from skywatch.receivers.factory import open_receiver
from skywatch.receivers.kinds.replay import Timeline
from skywatch.settings import SettingsError
from tests.unit.receivers.collector import running
from tests.waiting import eventually


def snapshots(path: Path, seconds: int, start: float = 1_000_000_000.0) -> Path:
    """A recording of one aircraft flying north, a document a second."""
    lines = [
        {
            "now": start + n,
            "aircraft": [{"hex": "4b1a23", "lat": 47 + n * 0.001, "lon": 8.0, "seen": 0.5, "seen_pos": 0.5}],
        }
        for n in range(seconds)
    ]
    text = "\n".join(map(json.dumps, lines))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["tape.jsonl", "tape.jsonl.gz", "a tape with spaces"])
def test_plays_in_time_and_ends(name: str, tmp_path: Path) -> None:
    path = snapshots(tmp_path / name, 21)

    async def play() -> None:
        receiver = open_receiver("tape", f"replay '{path}' speed=10", None)
        began, begun_at = time.monotonic(), time.time()
        async with running(receiver) as heard:
            await eventually(lambda: receiver.status.state == "ended")
        assert time.monotonic() - began >= 1.9
        assert len(heard.reports) == 21
        times = [report.at for report in heard.reports]
        # Shifted to now, pressed together, in their order.
        assert times == sorted(times)
        assert times[-1] - times[0] == pytest.approx(2.0, abs=0.01)
        assert begun_at - 1 <= times[0] <= time.time()
        assert all(report.position_at == report.at for report in heard.reports)
        assert receiver.status.address == f"{path} (documents)"
        assert receiver.status.last_error is None

    asyncio.run(play())


def test_a_loop_leaves_a_silence_in_which_aircraft_leave(tmp_path: Path) -> None:
    path = snapshots(tmp_path / "tape.jsonl", 6)

    async def play() -> None:
        receiver = open_receiver("tape", f"replay {path} speed=10 loop gap=1", None)
        async with running(receiver) as heard:
            await eventually(lambda: len(heard.reports) >= 12)
        assert heard.reports[6].at - heard.reports[5].at >= 1.0
        assert receiver.status.reconnects == 0

    asyncio.run(play())


def test_real_recordings_play_over(shared_data: Path) -> None:
    async def play() -> None:
        for path, aircraft in (
            ("raw/ulss7_61s.beast", 11),
            ("raw/ulss7_61s_original_duplicated.beast", 11),
            ("sbs/ulss7_61s.sbs", 11),
            ("raw/ulss7_readsb/json_port.jsonl", 11),
            ("feeds/switzerland_30min.jsonl.gz", 94),
        ):
            receiver = open_receiver("tape", f"replay {shared_data / path} speed=1000", (59.95, 30.30))
            async with running(receiver) as heard:
                await eventually(lambda receiver=receiver: receiver.status.state == "ended")
            assert len(heard.hexes) == aircraft, path
            assert all(time.time() - 600 < report.at < time.time() + 0.2 for report in heard.reports)

    asyncio.run(play())


def test_a_damaged_tape_is_played_to_its_damage(tmp_path: Path) -> None:
    path = snapshots(tmp_path / "tape.jsonl.gz", 5_000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])

    async def play() -> None:
        receiver = open_receiver("tape", f"replay {path} speed=1000", None)
        async with running(receiver) as heard:
            await eventually(lambda: receiver.status.state == "ended")
        assert 500 < len(heard.reports) < 5_000
        assert "damaged" in str(receiver.status.last_error)

    asyncio.run(play())


def test_clocks_that_were_set_do_not_stop_the_tape() -> None:
    timeline = Timeline(1000.0, 5000.0, 2.0)
    assert timeline.due_at(1010.0) == 5005.0
    # A little out of order stays so; a clock set back or ahead goes on from where it was.
    assert timeline.due_at(1009.0) == 5004.5
    assert timeline.due_at(10.0) == 5005.0
    assert timeline.due_at(12.0) == 5006.0
    assert timeline.due_at(1e9) == 5006.0
    assert timeline.due_at(1e9 + 4) == 5008.0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("speed=0", "speed must be between"),
        ("speed=fast", "a number"),
        ("loop=yes", "loop takes no value"),
        ("lop", "unknown option lop"),
        ("gap=-1", "gap must be"),
    ],
)
def test_bad_options(options: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=reason):
        open_receiver("tape", f"replay {snapshots(tmp_path / 'tape.jsonl', 2)} {options}", None)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary,\ntoday I saw an A380.\n")
    with pytest.raises(SettingsError, match=r"receiver.tape: .*notes.txt is not a recording"):
        open_receiver("tape", f"replay {path}", None)
