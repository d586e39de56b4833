"""The State of an aircraft by its ICAO address."""

import pytest

from skywatch.airframes.states import state_of


@pytest.mark.parametrize(
    ("address", "state"),
    [
        ("4B1620", "CH"),
        ("4b0000", "CH"),
        ("4B7FFF", "CH"),
        ("3C6444", "DE"),
        ("A835AF", "US"),
        ("000000", None),
        ("FFFFFF", None),
        ("~4B1620", None),
        ("not an address", None),
    ],
)
def test_an_address_belongs_to_the_state_of_its_block(address, state):
    assert state_of(address) == state


def test_registers_within_a_state_come_before_it():
    assert state_of("780000") == "CN"
    assert state_of("789001") == "HK"
