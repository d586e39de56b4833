"""``Decoder``: decodes batches of Mode S frames to columns and messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from skywatch.receivers.framing.frames import LONG_BYTES, SHORT_BYTES, Column, FrameBatch
from skywatch.receivers.mode_s.aircraft_table import IN_LANE, LANE_SHIFT, LONG_AGO, NON_ICAO, TISB, AircraftTable
from skywatch.receivers.mode_s.bits import message_field, words
from skywatch.receivers.mode_s.content.comm_b import Sent, decode_callsigns, remember_callsigns
from skywatch.receivers.mode_s.content.surveillance import decode_capability, decode_replies
from skywatch.receivers.mode_s.credibility import credible, repeated_states
from skywatch.receivers.mode_s.decoded import Decoded, Status
from skywatch.receivers.mode_s.frames import parity
from skywatch.receivers.mode_s.frames.addresses import ADDRESS_BITS, COARSE_TISB, squitter_addresses
from skywatch.receivers.mode_s.frames.order import Altitudes, Frames, carried, latest
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.mode_s.position.positions import NO_PLACES, Resolver
from skywatch.receivers.mode_s.squitters import References, SquitterBatch, Squitters, remember_altitudes
from skywatch.receivers.mode_s.statistics import Statistics

# Time for which an address recovered from parity is accepted after a frame that proved it (s).
PROVED_S = 60.0
# Time without frames after which the state of an aircraft is dropped (s).
FORGET_S = 900.0
DEFAULT_CAPACITY = 20_000
# So many doubts in succession are no misread pair any more.
TWO_TRACKS = 3

_ADDRESS_IN_PARITY, _ALL_CALL, _SQUITTER = 1, 2, 3
_CLASS_OF_DF = np.zeros(32, np.uint8)
_CLASS_OF_DF[[0, 4, 5, 16, 20, 21]] = _ADDRESS_IN_PARITY
_CLASS_OF_DF[11] = _ALL_CALL
_CLASS_OF_DF[[17, 18]] = _SQUITTER
# By downlink format and length (of 256): the class of a frame of that length, 0 where it is none, and its status unless
# its parity is good.
_ALL_LENGTHS = 256
_CLASS_OF: Column = np.zeros((32, _ALL_LENGTHS), np.uint8)
_STATUS_OF: Column = np.full((32, _ALL_LENGTHS), int(Status.BAD_LENGTH), np.uint8)
for _df in range(32):
    _length = LONG_BYTES if _df >= 16 else SHORT_BYTES
    _CLASS_OF[_df, _length] = _CLASS_OF_DF[_df]
    _STATUS_OF[_df, _length] = int(Status.BAD_PARITY if _CLASS_OF_DF[_df] else Status.UNSUPPORTED)
_CLASS_OF, _STATUS_OF = _CLASS_OF.ravel(), _STATUS_OF.ravel()
# The code of the interrogator that a DF11 answers stands in seven bits (ICAO Annex 10 volume IV, 3.1.2.5.2.1.2).
_MAX_INTERROGATOR = 0x7F
_DF18 = 18
_NO_REFERENCES = References(Sent.nothing(), Altitudes.nothing())
# As plain numbers, which NumPy takes several times as fast.
_GOOD, _BAD_LENGTH, _UNSUPPORTED, _BAD_PARITY, _UNKNOWN_ADDRESS, _NO_AIRCRAFT, _DOUBTFUL, _TOO_MANY = map(int, Status)
Admits = Callable[[Column, Column], Column]
# An address with the flag of those that are not ICAO's.
_ADDRESS_AND_FLAG = ADDRESS_BITS | NON_ICAO


class Decoder:
    """Decodes the frames of one receiver.

    ``station`` (lat, lon) is where the receiver stands; with it positions further than ``max_range_nm`` are not
    believed, and surface positions can be resolved from the first pair on (in a lane that is among ``places`` by the
    place there). ``capacity`` bounds the number of aircraft that are remembered. No input makes it raise.
    """

    def __init__(
        self,
        station: tuple[float, float] | None = None,
        max_range_nm: float = DEFAULT_RANGE_NM,
        capacity: int = DEFAULT_CAPACITY,
        places: Mapping[int, tuple[float, float]] = NO_PLACES,
    ) -> None:
        self.statistics = Statistics()
        self._table = AircraftTable(capacity, FORGET_S)
        self._resolver = Resolver(station, max_range_nm, self.statistics.positions, places)
        self._now = 0.0

    @property
    def aircraft_count(self) -> int:
        """The number of aircraft in the table."""
        return len(self._table)

    def take_doubted(self, since: float) -> Column:
        """The addresses i8[n] of lane 0 that were seen since a time and whose positions are two tracks, each told once.

        Several successive pairs contradict the last position, although each frame alone fits it.
        """
        rows = self._table.rows[: len(self._table)]
        doubted = np.flatnonzero((rows["doubts"] >= TWO_TRACKS) & (rows["seen"] >= since))
        doubted = doubted[rows["key"][doubted] >> LANE_SHIFT == 0]
        rows["doubts"][doubted] = 0
        result: Column = rows["key"][doubted] & ADDRESS_BITS
        return result

    def decode(
        self,
        frames: FrameBatch | Iterable[tuple[float, bytes, float | None]],
        lanes: Column | None = None,
        admits: Admits | None = None,
    ) -> Decoded:
        """Decode frames in the order they were received.

        ``lanes`` i8[n] separates frames that must not mislead each other: each lane has aircraft of its own. ``admits``
        says ?[n] which frames are decoded of those whose parity is plain; it gets their addresses i8[n] (with
        ``NON_ICAO``) and their rows.

        Frames are a batch, or tuples (unix seconds, 7 or 14 bytes, dBFS or None). Best given as many at once as
        have come; every call costs a fraction of a millisecond in addition to its frames.
        """
        batch = frames if isinstance(frames, FrameBatch) else FrameBatch.of_tuples(frames)
        out = Decoded(batch)
        if len(batch):
            time = out.time = self._times(batch.time)
            self._table.tidy(float(time[0]))
            head, tail = words(batch.data)
            aircraft = self._identify(out, time, head, tail, None if lanes is None else lanes << LANE_SHIFT, admits)
            self._decode_good(out, time, head, tail, aircraft)
        self._count(out)
        return out

    def _times(self, time: Column) -> Column:
        """Times without gaps: a frame without a time gets that of the one before it."""
        finite = np.isfinite(time)
        if not finite.all():
            latest_finite = np.maximum.accumulate(np.where(finite, np.arange(len(time)), -1))
            time = np.where(latest_finite >= 0, time[latest_finite], self._now)
        self._now = float(time[-1])
        return time

    def _identify(
        self, out: Decoded, time: Column, head: Column, tail: Column, lanes: Column | None, admits: Admits | None
    ) -> Column:
        """Check parity and determine each frame's aircraft: its row in the table i4[n], -1 if there is none.

        ``lanes`` stand where they stand in keys.
        """
        code = out.df.astype(np.intp) * _ALL_LENGTHS + out.frames.length
        kind = _CLASS_OF.take(code)
        out.status = _STATUS_OF.take(code)
        remainder = parity.remainders(out.frames.data, out.df >= 16).astype(np.int32)
        aircraft = np.full(len(out), -1, np.int32)
        # _SQUITTER and _ALL_CALL: those whose parity is plain.
        own = ((remainder == 0) & (kind >= _ALL_CALL)).nonzero()[0]
        proofs = self._take_own(out, own, aircraft, head, tail, lanes, admits)
        if len(own) < len(out):
            all_call = kind == _ALL_CALL
            claims = (
                (kind == _ADDRESS_IN_PARITY) | (all_call & (remainder > 0) & (remainder <= _MAX_INTERROGATOR))
            ).nonzero()[0]
            if len(claims):
                address = np.where(all_call, (head >> 32) & ADDRESS_BITS, remainder)
                self._take_claims(out, claims, aircraft, address, proofs, time, lanes)
        self._table.rows["proved"][proofs.aircraft] = time[proofs.rows]
        return aircraft

    def _take_own(
        self,
        out: Decoded,
        own: Column,
        aircraft: Column,
        head: Column,
        tail: Column,
        lanes: Column | None,
        admits: Admits | None,
    ) -> Frames:
        """Frames whose parity is plain, so that their address is certain; returns those that prove it for others."""
        df, own_head = out.df[own], head[own]
        addresses = squitter_addresses(df, own_head, tail, own, out.frames.mlat)
        keys = addresses.keys
        out.source[own] = addresses.sources
        if addresses.aircraft.all():
            out.status[own] = _GOOD
        else:
            out.status[own] = np.where(addresses.aircraft, _GOOD, _NO_AIRCRAFT)
            own, keys = own[addresses.aircraft], keys[addresses.aircraft]
        if admits is not None:
            admitted = admits(keys.astype(np.int64) & _ADDRESS_AND_FLAG, own)
            if not admitted.all():
                out.status[own[~admitted]] = _TOO_MANY
                own, keys = own[admitted], keys[admitted]
        rows = aircraft[own] = self._table.find_or_add(_in_lanes(keys, lanes, own))
        out.address[own] = keys & ADDRESS_BITS
        proofs = Frames(own, rows)
        if keys.max(initial=0) < NON_ICAO:
            return proofs
        out.non_icao[own] = (keys & NON_ICAO) != 0
        return proofs.where(keys < NON_ICAO)

    def _take_claims(
        self,
        out: Decoded,
        claims: Column,
        aircraft: Column,
        address: Column,
        proofs: Frames,
        time: Column,
        lanes: Column | None,
    ) -> None:
        """Frames whose address is accepted only if an earlier frame has proved it."""
        by_all = np.zeros(len(claims), np.bool_)
        if lanes is not None:
            by_all = self._proved_for_all(claims, address[claims], proofs, time, lanes)
            if by_all.any():
                self._table.find_or_add(_in_lanes(address[claims[by_all]], lanes, claims[by_all]))
        claimed = Frames(claims, self._table.find(_in_lanes(address[claims], lanes, claims)))
        out.status[claims] = _UNKNOWN_ADDRESS
        known = claimed.aircraft >= 0
        claimed, by_all = claimed.where(known), by_all[known]
        event = latest(proofs, claimed, len(out))
        proved = carried(event, time[proofs.rows], self._table.rows["proved"][claimed.aircraft])
        claimed = claimed.where(by_all | (np.abs(time[claimed.rows] - proved) <= PROVED_S))
        aircraft[claimed.rows] = claimed.aircraft
        out.address[claimed.rows] = address[claimed.rows]
        out.status[claimed.rows] = _GOOD

    def _proved_for_all(self, claims: Column, address: Column, proofs: Frames, time: Column, lanes: Column) -> Column:
        """Which claims of lanes other than 0 lane 0 has proved: what is replied stays in the lane of the reply."""
        chosen: Column = lanes[claims] != 0
        single = Frames(claims[chosen], self._table.find(address[chosen].astype(np.int64)))
        before = np.where(single.aircraft >= 0, self._table.rows["proved"][single.aircraft], LONG_AGO)
        event = latest(proofs, single, len(time))
        chosen[chosen] = np.abs(time[single.rows] - carried(event, time[proofs.rows], before)) <= PROVED_S
        return chosen

    def _decode_good(self, out: Decoded, time: Column, head: Column, tail: Column, aircraft: Column) -> None:
        good = (aircraft >= 0).nonzero()[0]
        kind = _CLASS_OF_DF.take(out.df[good])
        counts = np.bincount(kind, minlength=_SQUITTER + 1).tolist()
        references = _NO_REFERENCES
        if counts[_SQUITTER]:
            squitters = good if counts[_SQUITTER] == len(good) else good[kind == _SQUITTER]
            # Coarse TIS-B has its own format, which is not in use; only its address is decoded.
            coarse = (out.df[squitters] == _DF18) & ((head[squitters] >> 56) & 7 == COARSE_TISB)
            squitters = squitters[~coarse] if coarse.any() else squitters
            if len(squitters):
                references = self._decode_squitters(out, squitters, time, head, tail, aircraft)
        if counts[_ADDRESS_IN_PARITY]:
            replies = good[kind == _ADDRESS_IN_PARITY]
            self._decode_replies(out, Frames(replies, aircraft[replies]), time, head, tail, references)
            kind = kind[out.status[good] == _GOOD]
            good = good[out.status[good] == _GOOD]
        elif len(references.callsigns.rows):
            remember_callsigns(references.callsigns, self._table.rows)
        remember_altitudes(references.altitudes, self._table.rows)
        if counts[_ALL_CALL]:
            all_calls = good[kind == _ALL_CALL]
            decode_capability(out, all_calls, (head[all_calls] >> 56) & 7)
        self._table.rows["seen"][aircraft[good]] = time[good]

    def _decode_replies(
        self, out: Decoded, replies: Frames, time: Column, head: Column, tail: Column, references: References
    ) -> None:
        table = self._table.rows
        df = out.df[replies.rows]
        believed = credible(replies, df, head[replies.rows], time[replies.rows], references.altitudes, table, len(out))
        if not believed.all():
            out.status[replies.rows[~believed]] = _DOUBTFUL
            replies, df = replies.where(believed), df[believed]
        rows = replies.rows
        states = repeated_states(replies, df, head[rows], table, len(out))
        decode_replies(out, rows, df, head[rows], tail[rows], states)
        registers = replies.where(df >= 20)
        content = message_field(head[registers.rows], tail[registers.rows])
        decode_callsigns(out, references.callsigns, Sent(registers.rows, registers.aircraft, content), table)

    def _decode_squitters(
        self, out: Decoded, squitters: Column, time: Column, head: Column, tail: Column, aircraft: Column
    ) -> References:
        own_head, own_aircraft = head[squitters], aircraft[squitters]
        batch = Squitters(
            frames=Frames(squitters, own_aircraft),
            time=time[squitters],
            me=message_field(own_head, tail[squitters]),
            capability=np.where(out.df[squitters] == _DF18, 0, (own_head >> 56) & 7),
            direct=self._table.rows["key"][own_aircraft] & IN_LANE < TISB,
        )
        return SquitterBatch(out, batch, self._table.rows, self._resolver).decode()

    def _count(self, out: Decoded) -> None:
        statistics = self.statistics
        statistics.frames += len(out)
        statistics.good += np.bincount(out.df[out.status == _GOOD], minlength=32)
        refused = np.bincount(out.status, minlength=len(Status)).tolist()
        statistics.bad_length += refused[_BAD_LENGTH]
        statistics.unsupported += refused[_UNSUPPORTED]
        statistics.bad_parity += refused[_BAD_PARITY]
        statistics.unknown_address += refused[_UNKNOWN_ADDRESS]
        statistics.no_aircraft += refused[_NO_AIRCRAFT]
        statistics.doubtful += refused[_DOUBTFUL]


def _in_lanes(keys: Column, lanes: Column | None, rows: Column) -> Column:
    """Keys of the table i8[n] for the frames in these rows."""
    return keys.astype(np.int64) if lanes is None else keys | lanes[rows]
