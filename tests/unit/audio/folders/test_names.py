"""What the names of rtl_airband's files say."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from skywatch.audio.folders.names import RecordingName, read_name


@pytest.mark.parametrize(
    ("name", "channel", "at", "hertz"),
    [
        (
            "KXYZ_TWR_20261120_101746_121100000.mp3",
            "KXYZ_TWR",
            datetime(2026, 11, 20, 10, 17, 46, tzinfo=UTC),
            121_100_000,
        ),
        ("2026/11/KXYZ_GND_20261120_101748.mp3", "KXYZ_GND", datetime(2026, 11, 20, 10, 17, 48, tzinfo=UTC), None),
        ("KXYZ_GND_hour_20261120_10.mp3", "KXYZ_GND_hour", datetime(2026, 11, 20, 10, tzinfo=UTC), None),
        ("KXYZ_hour_20261120_10_121600000.mp3", "KXYZ_hour", datetime(2026, 11, 20, 10, tzinfo=UTC), 121_600_000),
        ("interview.wav", "interview", None, None),
        ("TWR_20261320_101746.mp3", "TWR_20261320_101746", None, None),
        ("_20261120_101746.mp3", "_20261120_101746", None, None),
    ],
)
def test_names(name, channel, at, hertz):
    assert read_name(name) == RecordingName(channel, at, hertz)


def test_a_zone():
    name = read_name("TWR_20260715_120000.mp3", ZoneInfo("Europe/Zurich"))
    assert name.at == datetime(2026, 7, 15, 10, tzinfo=UTC)
