"""In which order the decisions of several people are written, and what another person's urgent alert waits."""

from __future__ import annotations

import dataclasses

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skywatch.alerts.engine.rule import Cleared, Fired, Tick
from skywatch.alerts.tracker.change_queue import TURN, ChangeQueue
from tests.alerts import LOW
from tests.rules import rule_of


def alert(rule, address, at=0.0):
    return rule, Fired(rule.id, 1, address, at, {}, (), military=False)


def over(rule, address, at=0.0):
    return rule, Cleared(rule.id, 1, address, at)


def decisions(taken):
    return [change for change in taken if not isinstance(change, Tick)]


def numbered(count, letter="a"):
    return [f"{letter}{number}" for number in range(count)]


GREEDY = rule_of(LOW, 1, person="user 1")
URGENT = rule_of(LOW, 2, person="user 2", priority="critical")


def test_the_urgent_alert_of_another_does_not_wait_behind_thousands():
    queue = ChangeQueue(20_000)
    queue.put(Tick(1.0), [alert(GREEDY, address) for address in numbered(5_000)])
    queue.put(Tick(2.0), [alert(URGENT, "b")])
    assert (queue.depth, queue.people, queue.announcements) == (5_001, 2, 5_001)
    taken = tick, first, before, *others = queue.take(100)
    assert (tick, first.rule_id, before) == (Tick(2.0), 2, Tick(1.0))
    assert [change.address for change in others] == numbered(100)
    queue.done(taken)
    assert (queue.depth, queue.people, queue.announcements) == (4_900, 1, 4_900)


def test_people_take_turns():
    queue = ChangeQueue(20_000)
    for number in range(1, 4):
        rule = rule_of(LOW, number, person=f"user {number}")
        queue.put(Tick(1.0), [alert(rule, address) for address in numbered(2 * TURN)])
    changes = decisions(queue.take(6 * TURN))
    assert [changes[place * TURN].rule_id for place in range(6)] == [1, 2, 3, 1, 2, 3]


def test_a_time_without_decisions_comes_after_all_that_wait():
    queue = ChangeQueue(100)
    waiting = [alert(GREEDY, address) for address in numbered(60)]
    queue.put(Tick(1.0), waiting)
    queue.put(Tick(61.0), [])
    assert queue.take(TURN) == [Tick(1.0), *(change for _, change in waiting[:TURN])]
    assert queue.take(TURN) == [Tick(1.0), *(change for _, change in waiting[TURN:]), Tick(61.0)]
    assert queue.take(TURN) == []


def test_decisions_of_one_rule_stay_in_their_order():
    queue = ChangeQueue(20_000)
    for second in range(3):
        queue.put(Tick(second), [alert(URGENT, "b", second), alert(GREEDY, "a", second)])
        queue.put(Tick(second), [over(GREEDY, "a", second), over(URGENT, "b", second)])
    changes = decisions(queue.take(100))
    for number in (1, 2):
        assert [(type(c).__name__, c.at) for c in changes if c.rule_id == number] == [
            (name, second) for second in range(3) for name in ("Fired", "Cleared")
        ]


def test_decisions_of_a_rule_that_becomes_critical_stay_in_their_order_too():
    queue, critical = ChangeQueue(20_000), dataclasses.replace(GREEDY, priority="critical")
    queue.put(Tick(1.0), [alert(GREEDY, "a")])
    queue.put(Tick(2.0), [over(critical, "a"), alert(critical, "b")])
    queue.put(Tick(3.0), [alert(rule_of(LOW, 3, person="user 1", priority="critical"), "c")])
    changes = decisions(queue.take(100))
    assert [change.address for change in changes if change.rule_id == GREEDY.id] == ["a", "a", "b"]
    assert [type(change) for change in changes if change.address == "a"] == [Fired, Cleared]
    # Nothing of it waits any more.
    queue.put(Tick(4.0), [alert(rule_of(LOW, 4, person="user 1"), "d"), alert(critical, "a")])
    assert [change.address for change in decisions(queue.take(100))] == ["a", "d"]


def test_one_person_has_a_bound_and_others_have_theirs():
    queue = ChangeQueue(120)
    assert queue.put(Tick(1.0), [alert(GREEDY, address) for address in numbered(200)]) == 80
    assert queue.put(Tick(1.0), [alert(GREEDY, "x"), alert(URGENT, "b")]) == 1
    assert (queue.dropped, queue.depth) == (81, 121)
    assert [change.address for change in decisions(queue.take(1_000))] == ["b", *numbered(120)]


def test_the_writer_is_woken_and_sees_how_long_the_oldest_waits():
    queue = ChangeQueue(100)
    assert queue.delay_s() == float("inf")
    queue.put(Tick(1.0), [])
    assert queue.arrived.is_set()
    assert queue.delay_s() == 0
    assert queue.take(10) == [Tick(1.0)]
    assert queue.behind_s() >= 0
    queue.done([Tick(1.0)])
    assert (queue.depth, queue.behind_s(), queue.delay_s()) == (0, 0.0, float("inf"))


def test_in_drawn_worlds_what_an_urgent_alert_of_others_waits_for_is_bounded(capsys):
    lines = []

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def play(data):
        """One greedy person's decisions fill the queue at each tick; each of the others has an urgent alert once."""
        batch, others = data.draw(st.integers(10, 300), "entries of a batch"), data.draw(st.integers(1, 15), "others")
        priority = data.draw(st.sampled_from(["info", "critical"]), "priority of the greedy")
        begins = [data.draw(st.integers(0, 3)) for _ in range(others)]
        greedy = rule_of(LOW, 1_000, person="user 0", priority=priority)
        queue, written, waits = ChangeQueue(20_000), 0, []
        put_at = {}
        for second in range(4 + others):
            mine = [alert(greedy, address) for address in numbered(data.draw(st.integers(0, 300)))]
            mine += [
                alert(rule_of(LOW, number, person=f"user {number + 1}", priority="critical"), "b")
                for number in range(others)
                if begins[number] == second
            ]
            put_at |= {number: written for number in range(others) if begins[number] == second}
            queue.put(Tick(second), mine)
            entries = queue.take(batch)
            queue.done(entries)
            for change in decisions(entries):
                written += 1
                if change.rule_id < 1_000:
                    waits.append(written - put_at[change.rule_id] - 1)
        assert len(waits) == others
        # Every other person once, and the greedy one's turns: beside them, and after nine urgent ones.
        bound = others + TURN * (2 + others // 9)
        assert max(waits) <= bound
        lines.append(f"{others} others: behind {max(waits)} decisions, bound {bound}")

    play()
    with capsys.disabled():
        print("\nurgent alerts of others in the queue of the writer: " + "; ".join(lines), end="")
