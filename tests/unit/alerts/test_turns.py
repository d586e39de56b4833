"""Whose alerts are announced at a tick, where there are more than a tick may have."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skywatch.alerts.engine.engine import FIRED_PER_TICK, Engine, RuleSet
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.rule import Fired, Unstored
from tests.rules import rule_of
from tests.skies import NOW, sky_of

LOW = {"field": "alt_baro", "op": "lt", "value": 5000}


def low(number: int, **members: Any) -> dict[str, Any]:
    return {"hex": f"{0x4B0000 + number:06x}", "lat": 47.46, "lon": 8.57, "alt_baro": 3000} | members


def of(address: str) -> dict[str, Any]:
    return {"field": "hex", "op": "eq", "value": address}


def fired(changes: list[Any]) -> list[Fired]:
    return [change for change in changes if isinstance(change, Fired)]


def longest_waits(data: Any) -> str:
    """Let one person's rules match everything and never rest, and say what others' critical alerts waited."""
    per_tick = data.draw(st.integers(2, 12), "announcements a tick")
    greedy = [
        rule_of(
            LOW, 1000 + number, person="user 0", priority=data.draw(st.sampled_from(["info", "warning", "critical"]))
        )
        for number in range(data.draw(st.integers(1, 6), "rules of the greedy person"))
    ]
    others = data.draw(st.integers(1, 15), "others")
    # The second at which the aircraft of each comes low; the rule is critical, and has a less urgent one beside it.
    begins = [data.draw(st.integers(0, 4)) for _ in range(others)]
    rules = list(greedy)
    for person in range(1, others + 1):
        rules.append(rule_of(LOW, 2 * person, person=f"user {person}", priority="info"))
        rules.append(rule_of({"all": [of(f"{0x4B0000 + person:06x}"), LOW]}, 2 * person + 1, person=f"user {person}",
                             priority="critical"))  # fmt: skip
    engine = Engine(per_tick)
    engine.install(RuleSet(tuple(rules)), 0.0)
    told: dict[int, int] = {}
    bound = math.ceil((others + 1) / max(1, per_tick - math.ceil(per_tick / 10)))
    for second in range(5 + bound):
        crowd = [low(number, seen=0) for number in range(100 + second, 112 + second)]
        own = [low(person) for person in range(1, others + 1) if second >= begins[person - 1]]
        for alert in fired(engine.tick(sky_of(*crowd, *own, seq=second + 1, now=NOW + second))):
            if alert.rule_id % 2 == 1 and alert.rule_id < 1000:
                told[alert.rule_id // 2] = second
    waits = [told[person] - begins[person - 1] for person in range(1, others + 1)]
    assert max(waits) <= bound - 1
    return f"{others} others, {per_tick} a tick: waited {max(waits)} ticks, bound {bound - 1}"


def test_a_greedy_person_delays_the_urgent_alert_of_others_by_few_ticks(capsys):
    lines = []

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def play(data: Any) -> None:
        lines.append(longest_waits(data))

    play()
    with capsys.disabled():
        print("\nurgent alerts of others beside a greedy person: " + "; ".join(lines), end="")


def test_a_hundred_rules_of_one_person_do_not_silence_the_critical_rule_of_another():
    rules = [rule_of(LOW, number, person="user 1") for number in range(100)]
    rules.append(rule_of({"field": "squawk", "op": "eq", "value": "7700"}, 100, person="user 2", priority="critical"))
    engine = Engine()
    engine.install(RuleSet(tuple(rules)), 0.0)
    sky = [low(number) for number in range(99)]
    engine.tick(sky_of(*sky, seq=1, now=NOW))
    changes = fired(engine.tick(sky_of(*sky, low(99, squawk="7700"), seq=2, now=NOW + 1)))
    assert changes[0].rule_id == 100
    assert len(changes) == FIRED_PER_TICK
    backlog = engine.backlog(NOW + 1)
    assert (backlog.people, backlog.longest_s) == (1, 1.0)
    assert backlog.waiting == {"info": 100 * 99 + 100 - 99 - 100, "warning": 0, "critical": 0}


def test_what_only_one_feeder_has_heard_is_not_urgent():
    engine = Engine(10)
    engine.install(RuleSet((rule_of(LOW, 1, priority="critical"), rule_of(LOW, 2, priority="critical"))), 0.0)
    invented, real = [low(number) for number in range(200)], [low(number) for number in range(200, 204)]

    def tick(second, *aircraft):
        sky = sky_of(*aircraft, seq=1 + second, now=NOW + second)
        sky.columns["single_source"][:] = [entry["hex"] < real[0]["hex"] for entry in aircraft]
        return fired(engine.tick(sky))

    assert {alert.in_doubt for alert in tick(0, *invented)} == {True}
    alerts = tick(1, *invented, *real)
    assert sorted(alert.address for alert in alerts if not alert.in_doubt) == sorted(2 * [r["hex"] for r in real])
    assert [alert.in_doubt for alert in alerts] == 8 * [False] + 2 * [True]


def test_of_ones_own_rules_the_urgent_one_comes_first():
    engine = Engine(2)
    engine.install(
        RuleSet((rule_of(LOW, 1, person="user 1"), rule_of(LOW, 2, person="user 1", priority="critical"))), 0.0
    )
    sky = [low(number) for number in range(2)]
    assert [change.rule_id for change in fired(engine.tick(sky_of(*sky)))] == [2, 2]


def test_what_ends_before_its_turn_is_counted():
    engine = Engine(10)
    engine.install(RuleSet((rule_of(LOW, 1, person="user 1"),)), 0.0)
    engine.tick(sky_of(*(low(number) for number in range(30)), seq=1, now=NOW))
    high = [low(number, alt_baro=9000) for number in range(30)]
    changes = engine.tick(sky_of(*high, seq=2, now=NOW + 1))
    assert [change for change in changes if isinstance(change, Unstored)] == [Unstored(1, 1, 20)]
    assert engine.backlog(NOW + 1).people == 0


def test_what_ends_before_its_turn_is_counted_apart_where_only_strangers_heard_it():
    engine = Engine(10)
    engine.install(RuleSet((rule_of(LOW, 1, person="user 1"),)), 0.0)
    sky = sky_of(*(low(number) for number in range(30)), seq=1, now=NOW)
    sky.columns["single_source"][:] = [number >= 25 for number in range(30)]
    engine.tick(sky)
    changes = engine.tick(sky_of(seq=2, now=NOW + 1))
    assert [change for change in changes if isinstance(change, Unstored)] == [Unstored(1, 1, 20, 5)]


def test_messages_beyond_those_that_wait_are_counted_apart_where_only_strangers_heard_the_aircraft():
    engine = Engine()
    label = {"field": "acars_label", "op": "eq", "value": "H1"}
    engine.install(RuleSet((rule_of(label, 1, person="user 1"),)), 0.0)
    sky = sky_of(*(low(number) for number in range(700)), seq=1, now=NOW)
    sky.columns["single_source"][:] = [number >= 650 for number in range(700)]
    messages = [AircraftMessage(f"{0x4B0000 + number:06x}", NOW, {"acars_label": "H1"}) for number in range(700)]
    changes = engine.tick(sky, messages)
    assert [change for change in changes if isinstance(change, Unstored)] == [Unstored(1, 1, 100, 50)]


BOX = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 48], [8, 47]]]}


def test_what_lasts_a_moment_keeps_its_turn_as_it_was():
    from skywatch.alerts.engine.operands.fences import Fence
    from skywatch.core.polygons.geometry import parse_geometry

    engine = Engine(10)
    entering = {"field": "geofence", "op": "enters", "value": 1}
    engine.install(RuleSet((rule_of(entering, 1, person="user 1"),), {1: Fence(1, "Home", parse_geometry(BOX))}), 0.0)
    engine.tick(sky_of(*(low(number, lat=46.5) for number in range(25)), seq=1, now=NOW))
    counts, alerts = [], []
    for second in range(1, 5):
        inside = [low(number, lat=47.5, alt_baro=3000 + second) for number in range(25)]
        alerts += fired(engine.tick(sky_of(*inside, seq=1 + second, now=NOW + second)))
        counts.append(len(alerts))
    assert counts == [10, 20, 25, 25]
    assert {(alert.at, alert.aircraft["alt_baro"], alert.geofence) for alert in alerts} == {(NOW + 1, 3001, "Home")}


def test_messages_take_turns_too_and_too_many_are_counted():
    label = {"field": "acars_label", "op": "eq", "value": "H1"}
    rules = [rule_of(label, number, person="user 1") for number in range(50)]
    rules.append(rule_of(label, 50, person="user 2", priority="critical"))
    engine = Engine()
    engine.install(RuleSet(tuple(rules)), 0.0)
    # Half of the senders are in the sky.
    senders = [f"{0x4B0000 + number:06x}" for number in range(60)]
    sky = [low(number) for number in range(30)]
    messages = [AircraftMessage(address, NOW, {"acars_label": "H1"}) for address in senders]
    engine.tick(sky_of(*sky, seq=1, now=NOW - 1))
    changes = engine.tick(sky_of(*sky, seq=2, now=NOW), messages)
    alerts = fired(changes)
    assert [alert.rule_id for alert in alerts[:50]] == [50] * 50
    assert {alert.rule_id for alert in alerts[50:]} <= set(range(50))
    assert len(alerts) == 100
    assert sum(change.number for change in changes if isinstance(change, Unstored)) == 50 * 60 - 600
    for second in range(1, 7):
        alerts += fired(engine.tick(sky_of(*sky, seq=2 + second, now=NOW + second)))
    assert len(alerts) == 660
    assert {alert.address for alert in alerts} == set(senders)
    assert engine.backlog(NOW + 7).people == 0


def test_an_alert_of_a_message_that_waits_is_not_over_before_it_was_announced():
    label = {"field": "acars_label", "op": "eq", "value": "H1"}
    engine = Engine(1)
    engine.install(
        RuleSet((rule_of(label, 1, person="user 1"), rule_of(LOW, 2, person="user 1", priority="critical"))), 0.0
    )
    sky = [low(number) for number in range(3)]
    # Older than a minute, it is over at once.
    messages = [AircraftMessage("abcdef", NOW - 100, {"acars_label": "H1"})]
    order = []
    for second in range(6):
        changes = engine.tick(sky_of(*sky, seq=1 + second, now=NOW + second), messages if second == 0 else ())
        order += [type(change).__name__ for change in changes if getattr(change, "address", "") == "abcdef"]
    assert order == ["Fired", "Cleared"]
