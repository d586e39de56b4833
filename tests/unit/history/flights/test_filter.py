"""Every member of a search restricts flights, in the database and in the archive alike."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pytest

from skywatch.history.flights.archived_flights import conditions_of, microseconds
from skywatch.history.flights.filter import MAX_FLIGHT, FlightFilter, Restriction, restrictions
from skywatch.history.flights.service import conditions

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
VALUES = {
    "begin": AT,
    "end": AT,
    "icao_hex": "3c65a1",
    "callsign": "dlh*",
    "registration": "D-AIBA",
    "aircraft_type": "a3*",
    "military": True,
    "emergency": False,
    "active": True,
    "min_altitude_ft": 1_000.0,
    "max_altitude_ft": 40_000.0,
    "hides_military": True,
}


@pytest.mark.parametrize("member", [field.name for field in fields(FlightFilter)])
def test_each_member_restricts_the_database_and_the_archive(member):
    query_filter = FlightFilter(**{member: VALUES[member]})
    assert restrictions(query_filter)
    assert len(conditions(query_filter)) == len(conditions_of(query_filter)) == len(restrictions(query_filter))


def test_an_empty_filter_restricts_nothing():
    assert restrictions(FlightFilter()) == []


def test_names_are_compared_in_upper_case_whole_or_by_their_beginning():
    assert restrictions(FlightFilter(callsign="dlh*", registration="d-aiba")) == [
        Restriction("callsign", "starts", "DLH"),
        Restriction("registration", "=", "D-AIBA"),
    ]


def test_a_search_from_a_time_reaches_back_by_the_longest_flight():
    assert restrictions(FlightFilter(begin=AT)) == [
        Restriction("last_seen_at", ">=", AT),
        Restriction("first_seen_at", ">=", AT - MAX_FLIGHT),
    ]
    assert [condition.value for condition in conditions_of(FlightFilter(begin=AT))] == [
        microseconds(AT),
        microseconds(AT - timedelta(hours=25)),
    ]
