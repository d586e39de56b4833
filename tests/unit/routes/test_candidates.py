"""What counts of a table and of flown routes: pure rules, without a database."""

from datetime import UTC, datetime, timedelta

import pytest

from skywatch.routes.candidates import FlownPair, weigh

BEGIN = datetime(2026, 10, 1, tzinfo=UTC)


def pair(text, flights, day=0):
    origin, destination = text.split("-")
    at = BEGIN + timedelta(days=day)
    return FlownPair((origin, destination), flights, at, at + timedelta(days=1))


def shown(table, *flown):
    return [
        ("-".join(entry.stops), entry.source, entry.sure, entry.flights, entry.refused)
        for entry in weigh(tuple(table.split("-")) if table else None, flown)
    ]


@pytest.mark.parametrize(
    ("flown", "expected"),
    [
        ([], []),
        (["LSZH-EGLL 2"], [("LSZH-EGLL", "learnt", 0.75, 2, "too_few")]),
        (["LSZH-EGLL 3"], [("LSZH-EGLL", "learnt", 0.8, 3, None)]),
        (
            ["LSZH-EGLL 8", "LSZH-EGKK 2"],
            [("LSZH-EGLL", "learnt", 0.75, 8, None), ("LSZH-EGKK", "learnt", 0.25, 2, "superseded")],
        ),
        (
            ["LSZH-EGLL 7", "LSZH-EGKK 2"],
            [("LSZH-EGLL", "learnt", 0.727, 7, "mixed"), ("LSZH-EGKK", "learnt", 0.273, 2, "mixed")],
        ),
    ],
)
def test_a_pair_is_learnt_from_three_flights_of_which_four_in_five_are_the_same(flown, expected):
    pairs = [pair(text.split()[0], int(text.split()[1])) for text in flown]
    assert shown(None, *pairs) == expected


def test_an_entry_of_the_table_counts_less_than_a_learnt_route_and_more_with_one():
    assert shown("LSZH-EGLL") == [("LSZH-EGLL", "table", 0.7, 0, None)]
    # The same pair is one candidate.
    assert shown("LSZH-EGLL", pair("LSZH-EGLL", 5)) == [("LSZH-EGLL", "table", 0.95, 5, None)]
    # Seen too seldom: the table's own.
    assert shown("LSZH-EGLL", pair("LSZH-EGLL", 2)) == [("LSZH-EGLL", "table", 0.7, 2, None)]
    # Where they differ the learnt one wins.
    assert shown("LSZH-EGLL", pair("LSZH-EDDF", 5)) == [
        ("LSZH-EDDF", "learnt", 0.857, 5, None),
        ("LSZH-EGLL", "table", 0.7, 0, "superseded"),
    ]
    # Without a learnt one the table's stays.
    assert shown("LSZH-EGLL", pair("LSZH-EDDF", 2)) == [
        ("LSZH-EGLL", "table", 0.7, 0, None),
        ("LSZH-EDDF", "learnt", 0.75, 2, "too_few"),
    ]


def test_a_learnt_leg_confirms_a_route_of_several():
    (candidate,) = weigh(("EGLL", "EDDF", "LTFM"), [pair("EGLL-EDDF", 4), pair("EDDF-LTFM", 4, day=3)])
    assert (candidate.sure, candidate.flights, candidate.refused) == (0.7, 8, None)
    assert candidate.legs == [("EGLL", "EDDF"), ("EDDF", "LTFM")]
    assert (candidate.first_at, candidate.last_at) == (BEGIN, BEGIN + timedelta(days=4))
    (candidate,) = weigh(("EGLL", "EDDF", "LTFM"), [pair("EGLL-EDDF", 4)])
    assert candidate.sure == 0.95
