"""What an event says once it has ended."""

import pytest

from skywatch.safety.detection.finding import Closest, Finding
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.thresholds import Thresholds

NOW = 1_750_000_000.0
PAIR = ("4b0001", "4b0002")


def pair(closest, callsigns=("SWR1", ""), hexes=PAIR, kind="proximity"):
    return Finding(
        type=kind, key=":".join(hexes), severity="warning",
        message="SWR1 and 4B0002: closest 0.30 nm and 200 ft in 12 s",
        hexes=hexes, callsigns=callsigns, closest=closest,
    )  # fmt: skip


def last_message(finding):
    book = EventTracker()
    [began] = book.update([finding], NOW, Thresholds())
    assert began.event.finding.message == finding.message
    [ended] = book.update([], NOW + 60, Thresholds())
    return ended.event.finding.message


@pytest.mark.parametrize(
    ("after_s", "sentence"),
    [
        (12, "SWR1 and 4B0002 came within 0.30 nm and 200 ft of each other"),
        (90, "SWR1 and 4B0002 were forecast to come within 0.30 nm and 200 ft of each other"),
    ],
)
def test_an_encounter_that_is_over_is_told_in_the_past_tense(after_s, sentence):
    assert last_message(pair(Closest(NOW + after_s, 0.3, 200))) == sentence


def test_other_events_keep_their_sentence():
    for finding in (
        pair(None),
        pair(Closest(NOW, 0.3, 200), (), ("aggregate:1",)),
        pair(Closest(NOW, 0.3, 200), kind="acas_ra"),
    ):
        assert last_message(finding) == finding.message


def test_an_encounter_without_callsigns_names_the_addresses():
    assert last_message(pair(Closest(NOW, 0.1, 0), ())).startswith("4B0001 and 4B0002 came within 0.10 nm and 0 ft")
