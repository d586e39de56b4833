"""What a start does to alerts: nothing is announced again, nothing is cleared before it is known to be over."""

import json
from datetime import UTC, datetime

import pytest

from skywatch.acars.topics import RECEIVED
from skywatch.alerts.engine.rule import COMPARISONS, Count
from skywatch.core.bus.base import Message
from skywatch.picture.state.clock import Completion
from tests.alerts import BOX, LOW, aircraft, test_of
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable(
    "sends what others send", but=["test_conditions_changed_without_a_tracker_are_silent_for_late_aircraft"]
)

TIMEOUT_S = 60.0
# A receiver is back this long after the start (s).
LATE_S = 20
FLYING = {"baro_rate": 500, "military": True, "squawk": "7700", "receiver": "roof"}
# Kinds of conditions of which each holds for ``aircraft(**FLYING)``.
CONDITIONS = {
    "number": LOW,
    "flag": test_of("military", "eq", True),
    "emergency": test_of("emergency", "eq", True),
    "text": test_of("flight", "starts_with", "SWR"),
    "squawk": test_of("squawk", "in", ["7600-7700"]),
    "member": test_of("baro_rate", "gt", 100),
    "not": {"not": test_of("alt_baro", "gt", 9000)},
    "all": {"all": [LOW, {"any": [test_of("military", "eq", True), test_of("on_ground", "eq", True)]}]},
}


@pytest.fixture
def restart(stage):
    """Another tracker, ``away_s`` after the one before, whose picture is empty at first."""

    def begin(away_s=1.0):
        stage.now += away_s
        stage.restart(TIMEOUT_S)

    return begin


@pytest.fixture
def run(stage):
    """Tick for some seconds with these aircraft."""

    def tick(seconds, *present):
        for _ in range(seconds):
            stage.tick(*present)

    return tick


@pytest.fixture
def announced(stage):
    """The number of alerts that were announced, and of those that were cleared."""
    return lambda: (len(stage.told("alert:triggered")), len(stage.told("alert:cleared")))


@pytest.fixture
def announced_kinds(stage):
    """The names of the rules whose alerts were announced, and of those whose alerts were cleared."""

    def names(event):
        return sorted(alert["rule_name"] for alert in stage.told(event))

    return lambda: (names("alert:triggered"), names("alert:cleared"))


@pytest.mark.parametrize("away_s", [1.0, 30.0, 600.0])
@pytest.mark.deep("starts a tracker again and again")
def test_a_count_is_neither_cleared_nor_announced_by_the_empty_picture_of_a_start(
    add_rule, restart, run, announced, away_s
):
    for op, number in (("ge", 3), ("gt", 2), ("eq", 3)):
        add_rule(name=op, conditions=LOW, count={"op": op, "value": number}, cooldown_s=0)
    flying = [aircraft(n) for n in range(3)]
    run(2, *flying)
    assert announced() == (3, 0)
    restart(away_s)
    run(LATE_S)
    run(5, flying[0])
    run(100, *flying)
    assert announced() == (3, 0)
    run(2, flying[0])
    assert announced() == (3, 3), "what is over afterwards is cleared at once"


def test_a_count_of_few_aircraft_is_not_announced_by_the_empty_picture_of_a_start(add_rule, restart, run, announced):
    for op, number in (("lt", 3), ("le", 2), ("ne", 3)):
        add_rule(name=op, conditions=LOW, count={"op": op, "value": number}, cooldown_s=0)
    flying = [aircraft(n) for n in range(3)]
    run(2, *flying)
    assert announced() == (0, 0)
    restart()
    run(LATE_S)
    run(100, *flying)
    assert announced() == (0, 0)
    run(2, *flying[:2])
    assert announced() == (3, 0)


def test_a_count_that_ended_meanwhile_is_cleared_once_that_is_known(add_rule, restart, run, announced):
    add_rule(conditions=LOW, count={"op": "ge", "value": 2}, cooldown_s=0)
    run(2, aircraft(1), aircraft(2))
    restart()
    run(int(TIMEOUT_S), aircraft(1))
    assert announced() == (1, 0)
    run(2, aircraft(1))
    assert announced() == (1, 1)


def test_a_count_of_few_that_ended_meanwhile_is_cleared_as_soon_as_there_are_more(add_rule, restart, run, announced):
    add_rule(conditions=LOW, count={"op": "lt", "value": 2}, cooldown_s=0)
    run(2, aircraft(1))
    assert announced() == (1, 0)
    restart()
    run(LATE_S)
    assert announced() == (1, 0)
    run(2, aircraft(1), aircraft(2))
    assert announced() == (1, 1)


def test_a_count_that_became_true_meanwhile_is_announced_at_once(add_rule, restart, run, announced):
    add_rule(conditions=LOW, count={"op": "ge", "value": 2})
    run(2, aircraft(1))
    restart()
    run(2, aircraft(1), aircraft(2))
    assert announced() == (1, 0)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("op", COMPARISONS)
def test_the_least_number_decides_where_every_larger_one_agrees(op, number):
    count = Count(op, 3)
    possible = {count.holds(more, is_complete=True) for more in range(number, 20)}
    assert count.holds(number, is_complete=False) is (possible.pop() if len(possible) == 1 else None)


@pytest.mark.parametrize("away_s", [1.0, 30.0, 300.0])
def test_an_aircraft_that_is_received_late_is_neither_cleared_nor_announced_again(
    add_rule, restart, run, announced_kinds, away_s
):
    for kind, conditions in CONDITIONS.items():
        add_rule("ana", name=kind, conditions=conditions, cooldown_s=0)
    flying = aircraft(**FLYING)
    run(2, flying)
    assert announced_kinds() == (sorted(CONDITIONS), [])
    restart(away_s)
    run(LATE_S)
    # As from single messages: the address first, and its values one after the other.
    known = {"hex": flying["hex"]}
    for name in ("lat", "lon", "alt_baro", "flight", "squawk", "baro_rate", "military"):
        known[name] = flying[name]
        run(2, known)
    run(100, flying)
    assert announced_kinds() == (sorted(CONDITIONS), [])


def test_an_aircraft_that_does_not_come_back_is_cleared_when_the_picture_is_complete(
    add_rule, restart, run, announced_kinds
):
    for kind, conditions in CONDITIONS.items():
        add_rule("ana", name=kind, conditions=conditions, cooldown_s=0)
    run(2, aircraft(**FLYING))
    restart(30.0)
    run(int(TIMEOUT_S))
    assert announced_kinds() == (sorted(CONDITIONS), [])
    run(2)
    assert announced_kinds() == (sorted(CONDITIONS), sorted(CONDITIONS))


def test_leaving_a_restored_picture_before_the_receiver_is_back_clears_nothing(
    add_rule, stage, restart, run, announced
):
    add_rule(cooldown_s=0)
    run(2, aircraft())
    restart(50.0)
    for second in range(10):
        stage.tick(aircraft(seen=50 + second, seen_pos=50 + second))
    run(LATE_S - 10)
    run(100, aircraft())
    assert announced() == (1, 0)


def test_what_is_known_to_be_over_is_cleared_at_once(add_rule, restart, run, announced):
    add_rule(cooldown_s=0)
    add_rule(name="Mayday", conditions=test_of("emergency", "eq", True), cooldown_s=0)
    run(2, aircraft(squawk="7700"))
    restart()
    run(2)
    # The time of the squawk is that of the picture's columns, which made-up skies have once it is said.
    run(1, aircraft(alt_baro=9000, squawk="1000"))
    assert announced()[1] >= 1
    run(int(TIMEOUT_S), aircraft(alt_baro=9000, squawk="1000"))
    assert announced() == (2, 2)


@pytest.mark.parametrize("op", ["within", "enters", "leaves"])
def test_a_geofence_is_neither_entered_nor_left_by_a_start(client, add_rule, restart, run, announced, op):
    fence = client.post_json(f"{URL}geofences", {"name": "Box", "geometry": BOX}, headers=client.people["olga"]).json
    add_rule(conditions=test_of("geofence", op, fence["id"]), cooldown_s=0)
    inside, outside = aircraft(lat=47.5, lon=8.5), aircraft(lat=46.5, lon=8.5)
    run(2, outside, aircraft(2, lat=47.5, lon=8.5))
    run(2, inside, aircraft(2, lat=46.5, lon=8.5))
    before = announced()
    assert before[0] == (2 if op == "within" else 1)
    for _ in range(2):
        restart(30.0)
        run(LATE_S)
        run(40, inside, aircraft(2, lat=46.5, lon=8.5))
    assert announced() == before


def test_a_crossing_during_the_absence_is_announced_once(client, add_rule, restart, run, announced):
    fence = client.post_json(f"{URL}geofences", {"name": "Box", "geometry": BOX}, headers=client.people["olga"]).json
    add_rule(conditions=test_of("geofence", "enters", fence["id"]), cooldown_s=0)
    run(2, aircraft(lat=46.5, lon=8.5))
    restart(30.0)
    # The restored picture has its last place; then the receiver says where it is now.
    run(2, aircraft(lat=46.5, lon=8.5))
    run(70, aircraft(lat=47.5, lon=8.5))
    assert announced() == (1, 0)


def test_an_acars_message_is_announced_once(client, stage, add_rule, restart, run, announced):
    add_rule("ana", conditions=test_of("acars_text", "contains", "diversion"), cooldown_s=0)
    run(1, aircraft())
    stage.runtime.bus.publish(
        Message(RECEIVED, "message", json.dumps({"icao_hex": "4B1601", "text": "DIVERSION LSZH"}).encode())
    )
    run(2, aircraft())
    assert announced() == (1, 0)
    restart()
    run(LATE_S)
    run(30, aircraft())
    assert announced() == (1, 0)
    run(40, aircraft())
    assert announced() == (1, 1), "a message is over after a minute"


def test_conditions_changed_without_a_tracker_are_silent_for_late_aircraft(
    client, stage, add_rule, restart, run, announced
):
    rule = add_rule(conditions=test_of("alt_baro", "lt", 1000))
    many = add_rule(name="Many", conditions=test_of("alt_baro", "lt", 1000), count={"op": "ge", "value": 1})
    run(2, aircraft(alt_baro=5000))
    for changed in (rule, many):
        client.patch_json(
            f"{URL}rules/{changed['id']}",
            {"conditions": test_of("alt_baro", "lt", 7000)},
            headers=client.people["olga"],
        )
    restart()
    run(LATE_S)
    run(60, aircraft(alt_baro=5000))
    assert announced() == (0, 0)
    restart()
    run(70, aircraft(alt_baro=5000))
    assert announced() == (0, 0), "a second start adopts nothing again"
    run(2, aircraft(alt_baro=5000), aircraft(2, alt_baro=6000))
    assert announced() == (1, 0)


def test_a_rule_changed_in_the_first_minute_is_silent_for_what_is_there_alone(
    client, stage, add_rule, restart, run, announced
):
    rule = add_rule(conditions=test_of("alt_baro", "lt", 1000))
    restart()
    run(2, aircraft(alt_baro=5000))
    client.patch_json(
        f"{URL}rules/{rule['id']}", {"conditions": test_of("alt_baro", "lt", 7000)}, headers=client.people["olga"]
    )
    stage.reload()
    run(2, aircraft(alt_baro=5000))
    assert announced() == (0, 0)
    run(2, aircraft(alt_baro=5000), aircraft(2, alt_baro=6000))
    assert announced() == (1, 0)


def test_a_tracker_that_stood_still_clears_nothing(stage, add_rule, run, announced):
    add_rule(cooldown_s=0)
    add_rule(name="Many", conditions=LOW, count={"op": "ge", "value": 1}, cooldown_s=0)
    stage.completion = Completion(TIMEOUT_S)
    run(70, aircraft())
    assert announced() == (2, 0)
    stage.now += 120.0
    run(5)
    run(70, aircraft())
    assert announced() == (2, 0)


def test_a_dry_run_of_the_first_minute_takes_the_picture_as_it_is(client, stage, restart):
    from tests.skies import show, sky_of

    sky = sky_of(aircraft(), now=datetime.now(UTC).timestamp())
    object.__setattr__(sky, "is_complete", False)
    show(client.runtime, sky)
    body = {"rule": {"name": "Few", "conditions": LOW, "count": {"op": "lt", "value": 2}}}
    answer = client.post_json(f"{URL}rules/test", body, headers=client.people["olga"]).json
    assert answer["count"] == 1
