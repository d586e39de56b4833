"""Rules that match more aircraft than are followed: those that only strangers hear make way for ours."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from skywatch.alerts.engine import rule_state
from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.rule import Cleared, Fired, Stored
from skywatch.picture.state.doubt import ONLY_STRANGERS
from tests.alerts import LOW, STATION, aircraft, test_of
from tests.rules import rule_of
from tests.skies import NOW


@pytest.fixture(autouse=True)
def _few_pairs(monkeypatch):
    monkeypatch.setattr(rule_state, "MAX_PAIRS", 10)


class Ticks:
    """An engine with one rule, and ticks with so many aircraft of ours and of strangers that are low."""

    def __init__(self, mark, conditions=LOW, **members):
        self.mark, self.second, self.known = mark, 0, set()
        self.rule = rule_of(conditions, **members)
        self.begin({})

    def begin(self, stored):
        from skywatch.alerts.engine.operands.documents import SkyMaker

        self.maker, self.engine = SkyMaker(STATION), Engine()
        self.engine.install(RuleSet((self.rule,), stored={1: stored}), NOW)

    def tick(self, ours, strangers, *messages, is_complete=True, high=()):
        self.second += 1
        # A stranger's aircraft comes first in the sky.
        addresses = [*(100 + number for number in strangers), *ours]
        sky = self.maker.sky(
            [aircraft(number, alt_baro=9000 if number in high else 3000) for number in addresses], NOW + self.second
        )
        is_strangers = np.array([number >= 100 and number not in self.known for number in addresses], bool)
        if self.mark == "single":
            sky.columns["single_source"][:] = is_strangers
        else:
            sky = dataclasses.replace(sky, doubt=np.where(is_strangers, ONLY_STRANGERS, 0).astype("u2"))
        return self.engine.tick(dataclasses.replace(sky, is_complete=is_complete), messages)

    @property
    def left_out(self):
        return self.engine.backlog(NOW).left_out


def numbers(changes, kind):
    return {int(change.address[4:], 16) for change in changes if isinstance(change, kind)}


# One stranger alone, or several who confirm one another.
@pytest.mark.parametrize("mark", ["single", "several"])
def test_strangers_do_not_silence_a_rule_for_our_aircraft(mark):
    ticks = Ticks(mark)
    assert len(numbers(ticks.tick([], range(15)), Fired)) == 10
    assert ticks.left_out == 5
    changes = ticks.tick(range(4), range(15))
    assert numbers(changes, Fired) == {0, 1, 2, 3}
    assert ticks.left_out == 9
    # What made way, the newest first, had been announced; it is over.
    assert numbers(changes, Cleared) == set(range(106, 110))
    assert ticks.tick(range(4), range(15)) == []
    assert numbers(ticks.tick(range(10), range(15)), Fired) == set(range(4, 10))
    assert ticks.left_out == 15


def test_ours_come_first_in_one_tick_and_too_many_of_ours_are_counted():
    ticks = Ticks("single")
    assert numbers(ticks.tick(range(12), range(3)), Fired) == set(range(10))
    assert ticks.left_out == 5


def test_a_changed_rule_takes_ours_first_for_announced():
    ticks = Ticks("single", silent=True)
    ticks.tick(range(9), range(15))
    assert numbers(ticks.tick(range(9), range(15)), Fired) == set()
    assert numbers(ticks.tick(range(10), range(15)), Fired) == {9}


def test_who_was_left_out_is_announced_as_soon_as_ours_hear_it_or_there_is_room():
    ticks = Ticks("single", cooldown_s=0)
    ticks.tick([], range(12))
    assert ticks.left_out == 2
    ticks.second += 61
    assert numbers(ticks.tick([], [*range(9), 10, 11]), Cleared) == {109}
    assert len(numbers(ticks.tick([], [*range(9), 10, 11]), Fired)) == 1
    assert ticks.left_out == 1
    ticks.known = {110, 111}
    # One of them was announced in doubt.
    assert numbers(ticks.tick([], [*range(9), 10, 11]), Fired) == {110, 111}


def test_what_was_stored_of_strangers_makes_way_after_a_restart():
    ticks = Ticks("several", cooldown_s=86_400)
    ticks.begin({f"4b16{number:02x}": Stored(False, NOW) for number in range(100, 110)})
    assert numbers(ticks.tick(range(4), range(10)), Fired) == {0, 1, 2, 3}


def test_what_was_stored_of_ours_is_neither_over_nor_told_twice_after_a_restart():
    ticks = Ticks("single")
    ticks.begin({f"4b16{number:02x}": Stored(True, NOW - 600) for number in range(10)})
    # The picture fills: five of them are not heard yet.
    assert ticks.tick([*range(5), 10], range(2), is_complete=False) == []
    assert ticks.left_out == 3
    assert ticks.tick(range(11), range(2)) == []
    assert ticks.left_out == 3


def test_who_is_not_heard_again_after_a_restart_makes_way_once_that_is_known():
    ticks = Ticks("single", cooldown_s=86_400)
    ticks.begin({f"4b16{number:02x}": Stored(True, NOW) for number in range(100, 110)})
    assert ticks.tick([0], []) == []
    ticks.second += 61
    assert numbers(ticks.tick([0], []), Cleared) == set(range(100, 110))
    assert numbers(ticks.tick([0], []), Fired) == {0}


@pytest.mark.parametrize("mark", ["single", "several"])
def test_what_ours_hear_by_now_makes_no_way(mark):
    ticks = Ticks(mark)
    ticks.tick([], range(10))
    ticks.known = set(range(105, 110))
    changes = ticks.tick(range(6), range(10))
    assert numbers(changes, Cleared) >= set(range(100, 105))
    ticks.tick(range(6), range(10))
    assert ticks.left_out == 6
    again = numbers(changes, Fired) - set(range(5))
    assert again == (ticks.known if mark == "single" else set())


def test_who_makes_way_for_the_sender_of_a_message_is_left_out_until_there_is_room():
    ticks = Ticks("several", {"any": [test_of("acars_label", "eq", "SQ"), LOW]}, cooldown_s=0)
    ticks.tick([0], range(10), high=[0])
    message = AircraftMessage("4b1600", NOW + 2, {"acars_label": "SQ"})
    assert numbers(ticks.tick([0], range(10), message, high=[0]), Fired) == {0}
    assert numbers(ticks.tick([0], range(10), high=[0]), Cleared) >= {109}
    assert ticks.left_out == 1
    # The message is over once a minute has passed.
    ticks.second += 61
    assert numbers(ticks.tick([0], range(10), high=[0]), Cleared) == {0}
    assert numbers(ticks.tick([0], range(10), high=[0]), Fired) == {109}
    assert ticks.left_out == 0


def test_who_makes_way_in_its_cooldown_and_does_not_match_is_not_counted():
    ticks, strangers = Ticks("several", cooldown_s=86_400), range(100, 110)
    ticks.tick([], range(10))
    ticks.tick([], range(10), high=strangers)
    assert numbers(ticks.tick([0], range(10), high=strangers), Fired) == {0}
    assert ticks.left_out == 0
