"""Resolution advisories: in squitters, in Comm-B registers and in coordination replies, and never by mistake."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skywatch.receivers.mode_s.acas import describe_ra
from skywatch.receivers.mode_s.encoder import all_call, reply, squitter
from tests.unit.receivers.mode_s.content.test_status import put
from tests.unit.receivers.mode_s.helpers import ADDRESS, carried, decode_frames

THREAT = 0x3C6444
CLIMB = ((9, 9, 1), (10, 10, 1), (15, 15, 1))
THREAT_ADDRESS = ((29, 30, 1), (31, 54, THREAT))


def advisory(*fields: tuple[int, int, int]) -> str:
    text = describe_ra(put(*fields))["advisory"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (CLIMB, "Climb"),
        ((*CLIMB, (11, 11, 1)), "Descend"),
        ((*CLIMB, (12, 12, 1)), "Increase Climb"),
        ((*CLIMB, (11, 11, 1), (13, 13, 1)), "Descend; Descend NOW"),
        ((*CLIMB, (14, 14, 1)), "Climb; Crossing Climb"),
        (((9, 9, 1), (10, 10, 1)), "Level Off"),
        (((9, 9, 1), (15, 15, 1)), "Maintain Vertical Speed"),
        (((9, 9, 1), (14, 14, 1), (15, 15, 1)), "Maintain Vertical Speed; Crossing Maintain"),
        (((9, 9, 1),), "Monitor Vertical Speed"),
        ((*CLIMB, (27, 27, 1)), "Clear of Conflict"),
        (((28, 28, 1), (10, 10, 1), (13, 13, 1)), "Correct upwards; Descent required"),
    ],
)
def test_what_the_crew_is_told(fields, text):
    # "The 1090 Megahertz Riddle", chapter "Airborne collision avoidance system": bits 41-60 of the message.
    assert advisory(*fields) == text


def test_the_description_has_the_keys_of_readsb():
    me = put((1, 8, 0x30), *CLIMB, (23, 23, 1), (26, 26, 1), *THREAT_ADDRESS)
    assert describe_ra(me) == {
        "bytes": f"{me:014X}",
        "ARA": "1100001",
        "RAT": "0",
        "MTE": "0",
        "RAC": "1001",
        "advisory_complement": "Do not pass below; Do not turn right",
        "advisory": "Climb",
        "TTI": "01",
        "threat_id_hex": "3c6444",
    }


def heard(frame: bytes) -> dict[str, Any] | None:
    found: dict[str, Any] | None = carried(decode_frames([(0.0, all_call(ADDRESS)), (1.0, frame)])[-1]).get("acas_ra")
    return found


def test_a_broadcast_advisory():
    found = heard(squitter(ADDRESS, put((1, 5, 28), (6, 8, 2), *CLIMB, *THREAT_ADDRESS)))
    assert found is not None
    assert (found["advisory"], found["threat_id_hex"]) == ("Climb", "3c6444")
    assert heard(squitter(ADDRESS, put((1, 5, 28), (6, 8, 2)))) is None


@pytest.mark.parametrize("df", [16, 20, 21])
def test_an_advisory_in_a_reply(df):
    register = put((1, 8, 0x30), *CLIMB, *THREAT_ADDRESS)
    found = heard(reply(df, ADDRESS, 0x0C38, register=register))
    assert found is not None
    assert found["advisory"] == "Climb"


@pytest.mark.parametrize(
    "register",
    [
        put((1, 8, 0x30)),  # no advisory
        put((1, 8, 0x31), *CLIMB, *THREAT_ADDRESS),  # another register
        put((1, 8, 0x30), *CLIMB, (16, 22, 1), *THREAT_ADDRESS),  # reserved bits
        put((1, 8, 0x30), *CLIMB, (29, 30, 3)),  # an identity of no type
        put((1, 8, 0x30), *CLIMB, (29, 30, 0), (31, 54, THREAT)),  # an identity where there is none
        put((1, 8, 0x30), *CLIMB, *THREAT_ADDRESS, (56, 56, 1)),  # bits behind the address
        put((1, 8, 0x30), (28, 28, 1)),  # several threats, but nothing to do
    ],
)
def test_registers_that_are_not_an_advisory(register):
    for df in (16, 20, 21):
        assert heard(reply(df, ADDRESS, 0x0C38, register=register)) is None


@given(st.integers(0, (1 << 56) - 1))
def test_any_bits_can_be_described(me):
    description = describe_ra(me)
    assert description["bytes"] == f"{me:014X}"
    assert isinstance(description["advisory"], str)
