"""Bursts become messages: several stations, repeats, texts in parts."""

import itertools

import pytest

from skywatch.acars.envelopes import Burst
from skywatch.acars.messages import assembler as assembler_module
from skywatch.acars.messages.assembler import Assembler

NOW = 1_800_000_000.0


def burst(at=NOW, station="A", text="HELLO", **kw):
    fields = {"registration": "N12345", "block_id": "3", "direction": "downlink", **kw}
    return Burst(source="acars", at=at, station=station, label=fields.pop("label", "H1"), text=text, raw={}, **fields)


def add(assembler, one):
    return assembler.add(one, one.at)


def test_the_same_burst_from_two_stations_is_one_message():
    assembler = Assembler()
    (first,) = add(assembler, burst())
    (second,) = add(assembler, burst(NOW + 0.4, "B", icao_hex="A12345"))
    assert first.is_new
    assert not second.is_new
    assert second.draft is first.draft
    snapshot = first.draft.snapshot()
    assert [reception.station for reception in snapshot.receptions] == ["A", "B"]
    assert snapshot.repeats == 0


def test_a_repeat_within_two_minutes_is_counted_and_later_it_is_a_new_message():
    assembler = Assembler()
    (first,) = add(assembler, burst())
    (again,) = add(assembler, burst(NOW + 60))
    (later,) = add(assembler, burst(NOW + 200))
    assert again.draft is first.draft
    assert first.draft.snapshot().repeats == 1
    assert later.is_new
    assert later.draft is not first.draft


def test_parts_of_a_text_become_one_when_the_last_is_there():
    assembler = Assembler()
    number = {"message_number": "D10"}
    assert add(assembler, burst(text="ONE ", sequence="A", more=True, **number)) == []
    assert add(assembler, burst(NOW + 3, text="TWO ", sequence="B", more=True, block_id="4", **number)) == []
    (step,) = add(assembler, burst(NOW + 6, text="THREE", sequence="C", block_id="5", **number))
    snapshot = step.draft.snapshot()
    assert step.is_new
    assert (snapshot.text, snapshot.is_incomplete) == ("ONE TWO THREE", False)


def test_a_last_part_that_repeats_all_is_the_text():
    assembler = Assembler()
    add(assembler, burst(text="ONE ", sequence="A", more=True, message_number="D10"))
    (step,) = add(assembler, burst(NOW + 2, text="ONE TWO", sequence="B", block_id="4", message_number="D10"))
    assert step.draft.snapshot().text == "ONE TWO"


def test_parts_need_no_mark_that_more_follow():
    assembler = Assembler()
    (first,) = add(assembler, burst(text="ONE ", sequence="A", message_number="D10"))
    (second,) = add(assembler, burst(NOW + 3, text="TWO", sequence="B", block_id="4", message_number="D10"))
    assert second.draft is first.draft
    assert not second.is_new
    assert second.draft.snapshot().text == "ONE TWO"


@pytest.mark.parametrize("order", ["".join(order) for order in itertools.permutations("ABCD")])
@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
def test_parts_are_one_text_in_whatever_order_they_come(order, is_marked):
    assembler, drafts = Assembler(), set()
    for number, letter in enumerate(order):
        more = is_marked and letter != "D"
        part = burst(
            NOW + number, text=f"{letter} ", sequence=letter, block_id=str(number), message_number="D10", more=more
        )
        drafts |= {step.draft for step in add(assembler, part)}
    (draft,) = drafts
    assert (draft.snapshot().text, draft.snapshot().is_incomplete) == ("A B C D ", False)
    assert assembler.due(NOW + 100) == []


def test_a_text_without_its_beginning_or_with_a_gap_is_incomplete():
    assembler = Assembler()
    for number, letters in (("D10", "BC"), ("D11", "AC")):
        for block, letter in enumerate(letters):
            part = burst(text=f"{letter} ", sequence=letter, block_id=str(block), message_number=number)
            add(assembler, part)
    drafts = {known.draft for known in assembler._recent.values()}
    assert {(one.snapshot().text, one.snapshot().is_incomplete) for one in drafts} == {("B C ", True), ("A C ", True)}
    # The first part alone was shown at once: nothing told that it goes on.
    assert [step.draft.snapshot().text for step in assembler.due(NOW + 30)] == ["B C "]


def test_a_whole_text_of_the_program_needs_no_other_part():
    assembler = Assembler()
    number = {"message_number": "D10"}
    (step,) = add(assembler, burst(text="ONE TWO THREE", sequence="C", is_whole=True, **number))
    assert (step.draft.snapshot().text, step.draft.snapshot().is_incomplete) == ("ONE TWO THREE", False)
    add(assembler, burst(NOW + 1, text="ONE ", sequence="A", more=True, block_id="4", **number))
    assert step.draft.snapshot().text == "ONE TWO THREE"


def test_another_station_adds_what_the_first_one_did_not_name():
    assembler = Assembler()
    (first,) = add(assembler, burst())
    (second,) = add(assembler, burst(NOW + 0.4, "B", icao_hex="A12345", flight="AB0123"))
    snapshot = second.draft.snapshot().burst
    assert second.draft is first.draft
    assert (snapshot.icao_hex, snapshot.flight, snapshot.station) == ("A12345", "AB0123", "A")


def test_unfinished_texts_are_bounded_in_number(monkeypatch):
    monkeypatch.setattr(assembler_module, "MAX_WAITING", 10)
    assembler, shown = Assembler(), []
    for number in range(30):
        part = burst(text=f"T{number}", sequence="A", more=True, message_number=f"D{number:02d}")
        shown += add(assembler, part)
    assert [step.draft.snapshot().text for step in shown] == [f"T{number}" for number in range(20)]
    assert all(step.is_new and step.draft.snapshot().is_incomplete for step in shown)
    (amended,) = add(assembler, burst(text="END", sequence="B", block_id="4", message_number="D00"))
    assert (amended.is_new, amended.draft.snapshot().text) == (False, "T0END")
    assert len(assembler.due(NOW + 30)) == 10


def test_a_part_that_comes_again_after_the_whole_text_is_a_repeat():
    assembler = Assembler()
    number = {"message_number": "D10"}
    add(assembler, burst(text="ONE ", sequence="A", more=True, **number))
    (whole,) = add(assembler, burst(NOW + 3, text="ONE TWO", sequence="B", block_id="4", **number))
    (again,) = add(assembler, burst(NOW + 9, text="TWO", sequence="B", block_id="4", **number))
    assert again.draft is whole.draft
    assert (again.draft.snapshot().text, again.draft.snapshot().repeats) == ("ONE TWO", 1)


def test_one_station_that_receives_a_burst_on_two_frequencies_heard_it_once():
    assembler = Assembler()
    (first,) = add(assembler, burst(frequency_mhz=131.725))
    add(assembler, burst(NOW + 0.001, frequency_mhz=131.85))
    snapshot = first.draft.snapshot()
    assert [one.frequency_mhz for one in snapshot.receptions] == [131.725, 131.85]
    assert snapshot.repeats == 0


def test_a_second_station_that_receives_a_later_part_makes_no_repeat():
    assembler = Assembler()
    number = {"message_number": "D10"}
    add(assembler, burst(text="ONE ", sequence="A", more=True, **number))
    (step,) = add(assembler, burst(NOW + 4, text="TWO", sequence="B", block_id="4", **number))
    add(assembler, burst(NOW + 4.3, "B", text="TWO", sequence="B", block_id="4", **number))
    snapshot = step.draft.snapshot()
    assert [one.station for one in snapshot.receptions] == ["A", "B"]
    assert snapshot.repeats == 0


def test_an_incomplete_text_is_shown_after_half_a_minute_and_amended_later():
    assembler = Assembler()
    add(assembler, burst(text="ONE ", sequence="A", more=True, message_number="D10"))
    assert assembler.due(NOW + 29) == []
    (shown,) = assembler.due(NOW + 30)
    assert shown.draft.snapshot().is_incomplete
    (amended,) = add(assembler, burst(NOW + 50, text="TWO", sequence="B", block_id="4", message_number="D10"))
    assert not amended.is_new
    assert amended.draft is shown.draft
    assert (amended.draft.snapshot().text, amended.draft.snapshot().is_incomplete) == ("ONE TWO", False)


def test_a_station_whose_clock_is_off_counts_by_arrival():
    (step,) = Assembler().add(burst(at=NOW - 3600), NOW)
    assert step.draft.at == NOW
    (tape,) = Assembler(is_live=False).add(burst(at=NOW - 3600), NOW)
    assert tape.draft.at == NOW - 3600


def test_what_is_remembered_is_bounded_by_the_windows():
    assembler = Assembler()
    for second in range(2_000):
        add(assembler, burst(NOW + second, text=f"TEXT {second}"))
    assert len(assembler._recent) < 140
