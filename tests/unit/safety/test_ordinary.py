"""What happens every day raises nothing: each situation of ``ordinary`` with variations, all in one sky."""

import dataclasses
import random

import pytest

from tests.unit.safety.drawn import found, skies
from tests.unit.safety.ordinary import SECONDS, SITUATIONS

pytestmark = pytest.mark.deep("walks a corpus")

VARIATIONS, SEED = 2, 13


# What would be raised but for its reason: the drawing is near enough to matter.
HELD_BACK = {
    "formation_of_light_aircraft": "formation",
    "formation_takes_off": "formation",
    "military_formation": "formation",
    "refuelling": "formation",
    "visual_approaches_side_by_side": "parallel_approach",
    "tow_and_release": "tow",
    "thermal": "gliders",
    "helicopters_at_a_pad": "helicopters",
    "hovering_near_a_runway": "hovering",
    "copies": "copy",
    "scatter_of_multilateration": "relayed_position",
    "drones": "drones",
    "different_pressure_settings": "altitude_disagrees",
}


@pytest.fixture(scope="module")
def events():
    """The events by situation; each variation has a place of its own."""
    drawn, names = [], {}
    for number, situation in enumerate(SITUATIONS):
        for variation in range(VARIATIONS):
            seeded = random.Random(f"{SEED}:{situation.__name__}:{variation}")
            same = f"{len(names) + 0xB00000:06x}"
            names[same] = situation.__name__
            for aircraft in situation(seeded):
                address = same if aircraft.hex == "same" else f"{len(names) + 0xB00000:06x}"
                prefix = "~" if aircraft.hex == "~" else ""
                names[prefix + address] = situation.__name__
                centre = (20.0 + 2.0 * number, 1.5 * variation)
                drawn.append(dataclasses.replace(aircraft, hex=prefix + address, centre=centre))
    by_situation = {situation.__name__: [] for situation in SITUATIONS}
    for event in found(skies(drawn, SECONDS)):
        by_situation[names[event.finding.hexes[0]]].append(event)
    return by_situation


@pytest.mark.parametrize("situation", [situation.__name__ for situation in SITUATIONS])
def test_nothing_is_raised(events, situation):
    raised = [event for event in events[situation] if event.raised]
    assert [(event.finding.message, event.finding.numbers) for event in raised] == []


@pytest.mark.parametrize("situation", HELD_BACK)
def test_what_is_near_is_held_back_by_its_reason(events, situation):
    held_back = [event for event in events[situation] if HELD_BACK[situation] in event.finding.suppressed_by]
    assert len(held_back) >= VARIATIONS
