"""Rejects implausible replies: noise whose parity happens to match a known address.

Of the replies DF0, 4, 5, 16, 20 and 21 one in 2**24 noise bursts fits each known aircraft; a busy receiver without
a filter of its own meets one every few minutes. Such a reply is detected by codes that are not assigned, and by
contradicting earlier frames: its altitude is out of reach, or its squawk differs. A true change is
believed as soon as it is repeated. So is what a reply says in a single bit (on the ground, alert, identification):
one noise burst in two would set it, and it is believed from the second reply in succession.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.codes import ALTITUDE_FT_OF_AC13, NO_ALTITUDE, SQUAWK_OF_ID13
from skywatch.receivers.mode_s.content.surveillance import said_states
from skywatch.receivers.mode_s.frames.order import Altitudes, Frames, carried, latest

# Faster than any aircraft climbs or dives; altitudes further apart in time are not compared.
VERTICAL_REACH_FT_S, VERTICAL_SLACK_FT = 300.0, 500.0
COMPARED_S = 60.0
NO_SQUAWK = -1


def credible(
    replies: Frames, df: Column, head: Column, time: Column, squitted: Altitudes, table: Column, batch_size: int
) -> Column:
    """Whether replies are credible, as ?[n]; stores their altitudes and squawks in the ``table``.

    ``df``, ``head`` and ``time`` have one entry for each reply; ``squitted`` are the altitudes of the batch's
    squitters.
    """
    to_aircraft = (df == 0) | (df == 16)
    status, request = (head >> 56) & 7, (head >> 51) & 0x1F
    possible = to_aircraft | ((status < 6) & ((request < 8) | (request >= 16)))
    code = (head >> 32) & 0x1FFF
    is_identity = (df == 5) | (df == 21)
    altitude_ft = np.where(is_identity, NO_ALTITUDE, ALTITUDE_FT_OF_AC13[code])
    has_altitude = np.flatnonzero(possible & (altitude_ft != NO_ALTITUDE))
    has_squawk = np.flatnonzero(possible & is_identity & (code != 0))
    if len(has_altitude):
        replied = Altitudes(replies.where(has_altitude), time[has_altitude], altitude_ft[has_altitude])
        possible[has_altitude] = _altitude_fits(replied, squitted, table, batch_size)
    if len(has_squawk):
        sent = replies.where(has_squawk)
        possible[has_squawk] = _squawk_repeats(sent, SQUAWK_OF_ID13[code[has_squawk]], table, batch_size)
    return np.asarray(possible)


def _altitude_fits(replied: Altitudes, squitted: Altitudes, table: Column, batch_size: int) -> Column:
    """Whether each altitude is within reach of the last squitted or the last replied one, or there is none."""
    aircraft = replied.frames.aircraft
    fits, alone = np.zeros(len(aircraft), np.bool_), np.ones(len(aircraft), np.bool_)
    for events, name in ((squitted, "alt"), (replied, "reply_alt")):
        event = latest(events.frames, replied.frames, batch_size)
        elapsed = np.abs(replied.time - carried(event, events.time, table[f"{name}_time"][aircraft]))
        step_ft = np.abs(replied.altitude_ft - carried(event, events.altitude_ft, table[f"{name}_baro"][aircraft]))
        compared = elapsed <= COMPARED_S
        alone &= ~compared
        fits |= compared & (step_ft <= VERTICAL_SLACK_FT + elapsed * VERTICAL_REACH_FT_S)
    table["reply_alt_time"][aircraft] = replied.time
    table["reply_alt_baro"][aircraft] = replied.altitude_ft
    return fits | alone


def _squawk_repeats(sent: Frames, squawk: Column, table: Column, batch_size: int) -> Column:
    """Whether each squawk is the one that the aircraft replied with before, or the first."""
    before = carried(latest(sent, sent, batch_size), squawk, table["reply_squawk"][sent.aircraft])
    table["reply_squawk"][sent.aircraft] = squawk
    result: Column = (before == NO_SQUAWK) | (before == squawk)
    return result


def repeated_states(replies: Frames, df: Column, head: Column, table: Column, batch_size: int) -> Column:
    """The states (``surveillance.said_states``) of replies that the aircraft's reply before said, too, as u1[n].

    Replies to aircraft and those to radars are compared among themselves; stores them in the ``table``.
    """
    to_aircraft = (df == 0) | (df == 16)
    said = said_states(to_aircraft, head)
    believed = np.zeros(len(said), np.uint8)
    for mask, name in ((to_aircraft, "air_states"), (~to_aircraft, "radar_states")):
        of_kind = mask.nonzero()[0]
        sent, values = replies.where(of_kind), said[of_kind]
        if values.any():
            before = carried(latest(sent, sent, batch_size), values, table[name][sent.aircraft])
            believed[of_kind] = values & before
        table[name][sent.aircraft] = values
    return believed
