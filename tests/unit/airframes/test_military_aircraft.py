"""Whether an aircraft is military: by lists, reports and decisions, in SQL, in memory and for points alike."""

import random
from datetime import UTC, datetime

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airframes.military import (
    MILITARY_BLOCKS,
    MilitaryAircraft,
    civil_rows,
    decide,
    decisions,
    is_military,
    military_aircraft,
    record_lists,
    record_reports,
    revision,
    state_of,
)
from skywatch.airframes.models import MILITARY, AirframeRecord
from skywatch.airframes.service import find, find_many
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.storage.audit import Actor
from skywatch.history.models import Flight
from skywatch.history.storage.points import address_code
from skywatch.safety.models import SafetyEvent
from tests.unit.history.stored import row

ADA = Actor("ada", "session", 1)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
# Civil by their block, military by it, at its edges, and none of ICAO's.
ADDRESSES = ["4B1620", "3C6444", "A12345", "43C001", "43BFFF", "43C000", "AE1234", "~43C001", "~2A3B4C"]


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def list_of(session, flagged, source="tar1090", others=()):
    """Replace one imported list, as an import does."""
    session.execute(sa.delete(AirframeRecord).where(AirframeRecord.source == source))
    empty = dict.fromkeys(("registration", "type_code", "type_name", "operator", "owner"), "")
    for address in {*flagged, *others}:
        flags = MILITARY if address in flagged else 2
        session.add(AirframeRecord(icao_hex=address, source=source, year=0, flags=flags, **empty))
    session.flush()
    record_lists(session.connection())


def in_block(address):
    return address[0] != "~" and any(first <= int(address, 16) <= last for first, last, _ in MILITARY_BLOCKS)


def test_points_at_the_ends_of_every_block_are_military_and_those_beside_it_as_in_texts():
    codes = [code for first, last, _ in MILITARY_BLOCKS for code in (first - 1, first, last, last + 1)]
    hidden = MilitaryAircraft().mask(np.array(codes, np.uint32), np.zeros(len(codes), "?"))
    assert hidden.tolist() == [in_block(f"{code:06X}") for code in codes]


class World:
    """What somebody would say who knows lists, reports and decisions."""

    def __init__(self):
        self.lists = {"tar1090": set(), "opensky": set()}
        self.once_listed, self.reported, self.decided = set(), set(), {}

    def step(self, session, rng):
        kind, some = rng.choice(["list", "report", "decide"]), set(rng.sample(ADDRESSES, rng.randint(1, 4)))
        if kind == "list":
            source = rng.choice(sorted(self.lists))
            self.lists[source] = {address for address in some if address[0] != "~"}
            list_of(session, self.lists[source], source, others=["4B1620"])
            self.once_listed |= self.lists[source]
        elif kind == "report":
            record_reports(session, some)
            self.reported |= some
        else:
            for address in sorted(some):
                self.decided[address] = rng.choice([True, False, None])
                decide(session, ADA, rng.choice([address, address.lower()]), self.decided[address])

    def is_military(self, address, was_marked=False):
        if self.decided.get(address) is not None:
            return self.decided[address]
        if address in self.reported or in_block(address) or any(address in of for of in self.lists.values()):
            return True
        # A mark of a row counts while nobody has said anything of the aircraft.
        return was_marked and address not in self.once_listed and address not in self.decided


@pytest.mark.parametrize("seed", range(4))
def test_every_way_of_asking_gives_the_same_answer(sessions, seed):
    rng, world = random.Random(seed), World()
    rows = []
    for number, address in enumerate(ADDRESSES):
        # A row of an aircraft in a block was always marked.
        rows += [row(2 * number + 1, address, military=in_block(address)), row(2 * number + 2, address, military=True)]
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), rows)
    for _ in range(12):
        with writing(sessions) as session:
            world.step(session, rng)
        with sessions() as session:
            expected = {one["id"]: world.is_military(one["icao_hex"], one["military"]) for one in rows}
            condition = is_military(Flight.icao_hex, Flight.military)
            assert dict(session.execute(sa.select(Flight.id, condition)).all()) == expected
            shown = set(session.scalars(sa.select(Flight.id).where(civil_rows(Flight))))
            assert shown == {number for number, hidden in expected.items() if not hidden}
            known = military_aircraft(session)
            for one in rows:
                assert known.includes(one["icao_hex"].lower(), was_marked=one["military"]) == expected[one["id"]]
            codes = np.array([address_code(one["icao_hex"]) for one in rows], np.uint32)
            marks = np.array([one["military"] for one in rows])
            assert known.mask(codes, marks).tolist() == list(expected.values())
            frames = find_many(session, [address for address in ADDRESSES if address[0] != "~"])
            for address, frame in frames.items():
                assert frame.military == world.is_military(address), address
                assert frame.decided == (world.decided.get(address) is not None)


def test_an_event_is_hidden_by_any_of_its_aircraft(sessions):
    columns = {column.name: None for column in SafetyEvent.__table__.c}
    columns |= {
        "type": "proximity", "severity": "critical", "message": "", "callsigns": [], "numbers": {}, "suppressed_by": [],
        "held_back": False, "acknowledged": False, "military": False, "began_at": NOW, "last_at": NOW, "ended_at": NOW,
    }  # fmt: skip
    pairs = {1: ["4B1620", "3C6444"], 2: ["4B1620", "A12345"], 3: [], 4: ["A12345"]}
    with writing(sessions) as session:
        for number, hexes in pairs.items():
            session.add(SafetyEvent(**{**columns, "id": number, "key": str(number), "hexes": hexes}))
        session.add(SafetyEvent(**{**columns, "id": 5, "key": "5", "hexes": ["3C6444"], "military": True}))

    def shown():
        with sessions() as session:
            return set(session.scalars(sa.select(SafetyEvent.id).where(civil_rows(SafetyEvent))))

    # The last one was marked when it was written, and nothing else is known of its aircraft.
    assert shown() == {1, 2, 3, 4}
    with writing(sessions) as session:
        record_reports(session, ["A12345"])
    assert shown() == {1, 3}
    with writing(sessions) as session:
        decide(session, ADA, "a12345", False)
        decide(session, ADA, "3c6444", False)
    assert shown() == {1, 2, 3, 4, 5}


def test_a_corrected_list_shows_an_aircraft_again_and_a_report_does_not(sessions):
    with writing(sessions) as session:
        list_of(session, {"A12345", "3C6444"})
        record_reports(session, ["3C6444"])
    with writing(sessions) as session:
        list_of(session, set(), others={"A12345"})
    with sessions() as session:
        assert (find(session, "a12345").military, find(session, "3c6444").military) == (False, True)
        known = military_aircraft(session)
        assert not known.includes("A12345", was_marked=True)
        assert state_of(session, "3c6444").reported_at is not None


def test_a_decision_is_audited_with_what_was_before(sessions):
    with writing(sessions) as session:
        assert decide(session, ADA, "43c001", False).military is False
        decide(session, ADA, "43C001", False)
        decide(session, ADA, "A12345", True)
    with writing(sessions) as session:
        assert decide(session, ADA, "43c001", None).military is True
        assert [record.icao_hex for record in decisions(session)] == ["A12345"]
    with sessions() as session:
        query = sa.select(AuditEntry.target_id, AuditEntry.before, AuditEntry.after).order_by(AuditEntry.id)
        assert session.execute(query).all() == [
            ("43C001", {"military": None}, {"military": False}),
            ("A12345", {"military": None}, {"military": True}),
            ("43C001", {"military": False}, {"military": None}),
        ]


def test_what_is_known_is_read_again_after_a_change_only(sessions):
    with writing(sessions) as session:
        record_reports(session, ["A12345"])
    with sessions() as session:
        first, at = military_aircraft(session), revision(session)
        assert military_aircraft(session) is first
    with writing(sessions) as session:
        record_reports(session, ["3C6444"])
    with sessions() as session:
        assert revision(session) > at
        second = military_aircraft(session)
    assert "3c6444" in second
    assert "3c6444" not in first
    assert None not in second


def test_nothing_is_asked_of_no_points():
    assert MilitaryAircraft({"A12345": True}).mask(np.empty(0, np.uint32), np.empty(0, "?")).tolist() == []
