"""Which aircraft are military: the one place that is asked whenever something about an aircraft is read.

It belongs to the aircraft and not to a row: what was stored before it was known is hidden from then on, and shown again
where it was an error. What an administrator has decided counts first; else an aircraft is military if our own receivers
or trusted feeders have reported it so, an imported list says so, or its address lies in a block that a State assigns to
its armed forces. ``MilitaryRecord`` has what is known, block by block aside.

A table whose rows are about aircraft declares in its ``info`` which of them everybody may see (``civil_rows``), with
``is_civil`` or ``names_military``. ``military_aircraft`` is the same for code that has addresses in its hands, and
``Airframe.military`` for one aircraft. The live picture asks of each airframe, and adds what receivers report in this
second.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement, GenericFunction

from skywatch.airframes.models import MILITARY, AirframeRecord, MilitaryRecord, MilitaryRevision
from skywatch.core import events
from skywatch.core.bus import Message
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into, insert_of
from skywatch.core.storage import audit
from skywatch.core.storage.audit import Actor, Target
from skywatch.security.visibility import Visibility

# Every State has a block of 24-bit addresses (ICAO Annex 10, volume III, table 9-1) and divides it at its own
# discretion. The military part is inferred from the end of the civil register and from the addresses of military
# aircraft. Only blocks in which at least four of five airframes recorded in public databases are military are listed;
# for mixed blocks the imported databases decide. (first, last, State)
MILITARY_BLOCKS: tuple[tuple[int, int, str], ...] = (
    (0x010070, 0x01008F, "Egypt"),
    (0x0A4000, 0x0A4FFF, "Algeria"),
    (0x33FF00, 0x33FFFF, "Italy"),
    (0x350000, 0x37FFFF, "Spain"),
    (0x3AA000, 0x3AFFFF, "France"),
    (0x3B7000, 0x3BFFFF, "France"),
    (0x3EA000, 0x3EBFFF, "Germany"),
    (0x3F4000, 0x3FBFFF, "Germany"),
    (0x43C000, 0x43CFFF, "United Kingdom"),
    (0x44F000, 0x44FFFF, "Belgium"),
    (0x457000, 0x457FFF, "Bulgaria"),
    (0x45F400, 0x45F4FF, "Denmark"),
    (0x468000, 0x4683FF, "Greece"),
    (0x473C00, 0x473C0F, "Hungary"),
    (0x478100, 0x4781FF, "Norway"),
    (0x480000, 0x480FFF, "Netherlands"),
    (0x48D800, 0x48D87F, "Poland"),
    (0x497C00, 0x497CFF, "Portugal"),
    (0x498420, 0x49842F, "Czechia"),
    (0x4B7000, 0x4B7FFF, "Switzerland"),
    (0x4B8200, 0x4B82FF, "Türkiye"),
    (0x70C070, 0x70C07F, "Oman"),
    (0x710258, 0x71028F, "Saudi Arabia"),
    (0x710380, 0x71039F, "Saudi Arabia"),
    (0x738A00, 0x738AFF, "Israel"),
    (0x7CF800, 0x7CFAFF, "Australia"),
    (0x800200, 0x8002FF, "India"),
    # The civil register, N1 to N99999, ends at ADF7C7 by the formula that maps it to addresses.
    (0xADF7C8, 0xAFFFFF, "United States"),
    (0xC20000, 0xC3FFFF, "Canada"),
)
# What processes that know airframes subscribe to: lists or decisions have changed.
TOPIC, CHANGED = "airframes", "airframes:changed"
_FIRSTS = [first for first, _, _ in MILITARY_BLOCKS]
# An address with a leading ~ is not ICAO's, and no block contains it.
NON_ICAO = 1 << 24
_records: Any = MilitaryRecord.__table__


def is_military_address(icao_hex: str) -> bool:
    """Return whether an ICAO address (either case) lies in a military block; False for anything that is no address."""
    try:
        address = int(icao_hex, 16)
    except ValueError:
        return False  # Addresses with a leading ~ are not ICAO's.
    block = bisect_right(_FIRSTS, address) - 1
    return block >= 0 and address <= MILITARY_BLOCKS[block][1]


# --- In SQL ---------------------------------------------------------------------------------------------------------


def is_military(address: Any, was_marked: Any) -> Any:
    """Return the SQL condition that the aircraft of an address (upper case) is military.

    ``was_marked`` is the column that says whether it was when the row was written: that counts where nothing has been
    reported, listed or decided since. So blocks of addresses need not be compared for each row.
    """
    return sa.or_(_is(True, address), sa.and_(was_marked, sa.not_(_is(False, address))))


def is_civil(address: Any, was_marked: Any) -> Any:
    """Return the opposite of ``is_military``, in the form that PostgreSQL executes as one hashed join."""
    return sa.and_(sa.not_(_is(True, address)), sa.or_(sa.not_(was_marked), _is(False, address)))


def names_military(addresses: Any, was_marked: Any, *, member: str = "") -> Any:
    """Return the SQL condition that a JSON array names a military aircraft; ``was_marked`` as above.

    The array has addresses in upper case, or objects whose ``member`` is one.
    """

    def is_named(*conditions: Any) -> Any:
        named = _texts_of(addresses, sa.literal_column(f"'{member}'")).table_valued("value")
        rows = named.join(_records, _records.c.icao_hex == named.c.value)
        return sa.exists(sa.select(sa.literal(1)).select_from(rows).where(*conditions))

    return sa.or_(is_named(_records.c.military), sa.and_(was_marked, sa.not_(is_named())))


# The key of a table's ``info`` for the condition on the rows that everybody may see; a test looks for tables without.
CIVIL = "civil"


def declare_civil(model: Any, condition: Any) -> None:
    """Say which rows of a table everybody may see: those on no aircraft that is military now."""
    model.__table__.info[CIVIL] = condition


def civil_rows(model: Any) -> Any:
    """Return the condition on the rows of a table that do not need ``aircraft.view_military``."""
    return model.__table__.info[CIVIL]


def _is(verdict: bool, address: Any) -> Any:
    record = _records.alias()
    return sa.exists().where(record.c.icao_hex == address, record.c.military.is_(verdict)).correlate_except(record)


class in_block(FunctionElement[bool]):  # noqa: N801 - named like a function
    """Whether an address lies in a military block: a binary search as nested cases."""

    type = sa.Boolean()
    inherit_cache = True


@compiles(in_block)
def _compile_in_block(element: Any, compiler: Any, **options: Any) -> str:
    return _searched(compiler.process(element.clauses, **options), MILITARY_BLOCKS)


@compiles(in_block, "postgresql")
def _compile_in_block_for_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    # Texts are compared by their bytes, whatever the collation of the database.
    return _searched(f'({compiler.process(element.clauses, **options)}) COLLATE "C"', MILITARY_BLOCKS)


def _searched(address: str, blocks: Sequence[tuple[int, int, str]]) -> str:
    if len(blocks) == 1:
        first, last, _ = blocks[0]
        return f"({address} BETWEEN '{first:06X}' AND '{last:06X}')"
    middle = len(blocks) // 2
    below, above = _searched(address, blocks[:middle]), _searched(address, blocks[middle:])
    return f"CASE WHEN {address} < '{blocks[middle][0]:06X}' THEN {below} ELSE {above} END"


class _texts_of(GenericFunction[str]):  # noqa: N801 - named like a function
    """The texts of a JSON array, or those of a member of its objects."""

    inherit_cache = True


@compiles(_texts_of, "sqlite")
def _compile_texts_of_for_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    array, member = (compiler.process(clause, **options) for clause in element.clauses)
    value = "value" if member == "''" else f"CASE WHEN type = 'object' THEN json_extract(value, '$.' || {member}) END"
    return f"(SELECT {value} AS value FROM json_each({array}))"  # noqa: S608 - our own names


@compiles(_texts_of, "postgresql")
def _compile_texts_of_for_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    array, member = (compiler.process(clause, **options) for clause in element.clauses)
    value = "entry #>> '{}'" if member == "''" else f"entry ->> {member}"
    return f"(SELECT {value} AS value FROM jsonb_array_elements({array}) AS entry)"  # noqa: S608 - our own names


# --- In memory ------------------------------------------------------------------------------------------------------


class MilitaryAircraft:
    """Which aircraft are military at one moment; ``records`` says by address (upper case) what is known of some."""

    def __init__(self, records: Mapping[str, bool] | None = None) -> None:
        self._records = dict(records or {})
        codes = np.array(list(map(_code, self._records)), np.uint32)
        order = np.argsort(codes)
        self._codes = codes[order]
        self._verdicts = np.array(list(self._records.values()), "?")[order]

    @cached_property
    def known(self) -> tuple[str, str]:
        """The addresses that are military, and that are not, each as one text, where rows may say something else."""
        military = (
            address for address, verdict in self._records.items() if verdict and not is_military_address(address)
        )
        civil = (address for address, verdict in self._records.items() if not verdict)
        return " ".join(military), " ".join(civil)

    def __contains__(self, icao_hex: object) -> bool:
        return isinstance(icao_hex, str) and self.includes(icao_hex)

    def includes(self, icao_hex: str, *, was_marked: bool = False) -> bool:
        """Return whether an aircraft (either case) is military.

        ``was_marked``: it was when the row in hand was written; see ``is_military``.
        """
        verdict = self._records.get(icao_hex.upper())
        return was_marked or is_military_address(icao_hex) if verdict is None else verdict

    def any_of(self, icao_hexes: Collection[str], *, was_marked: bool = False) -> bool:
        """Return whether one of these aircraft (upper case) is military; see ``names_military``."""
        if any(icao_hex in self for icao_hex in icao_hexes):
            return True
        return was_marked and not any(icao_hex in self._records for icao_hex in icao_hexes)

    def mask(self, codes: npt.NDArray[np.uint32], marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which of these aircraft are military.

        ``codes`` are addresses as numbers, with ``NON_ICAO`` where they are none; ``marked`` as ``was_marked`` above.
        """
        if not len(codes):
            return np.zeros(0, "?")
        # Points of one aircraft follow each other: it is looked up once.
        begins = np.flatnonzero(np.diff(codes, prepend=~codes[:1]))
        ones, lengths = codes[begins], np.diff(begins, append=len(codes))
        block = np.searchsorted(_FIRST_CODES, ones, "right").astype(np.intp) - 1
        military = (block >= 0) & (ones <= _LAST_CODES[block])
        is_known = np.zeros(len(ones), "?")
        if len(self._codes):
            place = np.minimum(np.searchsorted(self._codes, ones), len(self._codes) - 1)
            is_known = self._codes[place] == ones
            military[is_known] = self._verdicts[place[is_known]]
        hidden: npt.NDArray[np.bool_] = np.repeat(military, lengths) | (marked & np.repeat(~is_known, lengths))
        return hidden


_FIRST_CODES = np.array(_FIRSTS, np.uint32)
_LAST_CODES = np.array([last for _, last, _ in MILITARY_BLOCKS], np.uint32)


def _code(address: str) -> int:
    return int(address.lstrip("~"), 16) | (NON_ICAO if address.startswith("~") else 0)


def military_aircraft(session: Session) -> MilitaryAircraft:
    """Return the military aircraft as they are now; read again where something has changed since the last time."""
    with _lock:
        cached = _cache.get(session.get_bind().engine)
    now = revision(session)
    if cached is not None and cached[0] == now:
        return cached[1]
    military = MilitaryAircraft(
        {row[0]: row[1] for row in session.execute(sa.select(_records.c.icao_hex, _records.c.military))}
    )
    with _lock:
        _cache[session.get_bind().engine] = now, military
    return military


def hidden_from(visibility: Visibility, session: Session) -> MilitaryAircraft | None:
    """Return the military aircraft where a caller may not see them, else None."""
    return None if visibility.military else military_aircraft(session)


_lock = threading.Lock()
_cache: WeakKeyDictionary[Any, tuple[int, MilitaryAircraft]] = WeakKeyDictionary()


def revision(session: Session) -> int:
    """Return the revision of what is known of military aircraft."""
    return session.scalar(sa.select(MilitaryRevision.revision)) or 0


# --- What is known --------------------------------------------------------------------------------------------------


def record_lists(connection: sa.Connection) -> None:
    """Bring ``listed`` up to date with the imported airframes; belongs into the transaction that changes them."""
    record, airframe = MilitaryRecord, AirframeRecord
    is_flagged = airframe.flags.op("&")(MILITARY) != 0
    insert = insert_of(connection.dialect.name, record).from_select(
        ["icao_hex", "military", "listed"],
        sa.select(airframe.icao_hex, sa.true(), sa.true())
        .distinct()
        .where(sa.or_(is_flagged, in_block(airframe.icao_hex))),
    )
    listed = {"listed": True, "military": sa.func.coalesce(record.decided, sa.true())}
    connection.execute(
        insert.on_conflict_do_update(index_elements=["icao_hex"], set_=listed, where=sa.not_(record.listed))
    )
    is_listed = sa.exists().where(airframe.icao_hex == record.icao_hex, is_flagged)
    corrected = sa.update(record).where(record.listed, sa.not_(in_block(record.icao_hex)), sa.not_(is_listed))
    is_reported = record.reported_at.is_not(None)
    connection.execute(corrected.values(listed=False, military=sa.func.coalesce(record.decided, is_reported)))
    _next_revision(connection)


def record_reports(session: Session, icao_hexes: Iterable[str]) -> int:
    """Store that receivers of ours report these aircraft (upper case) as military, and return the revision.

    The first time counts.
    """
    now = utcnow()
    rows = [
        {"icao_hex": address, "military": True, "listed": is_military_address(address), "reported_at": now}
        for address in sorted(set(icao_hexes))
    ]
    insert, record = insert_into(session, MilitaryRecord), MilitaryRecord
    reported = {"reported_at": insert.excluded.reported_at, "military": sa.func.coalesce(record.decided, sa.true())}
    is_new = record.reported_at.is_(None)
    session.execute(insert.on_conflict_do_update(index_elements=["icao_hex"], set_=reported, where=is_new), rows)
    return _next_revision(session.connection())


def state_of(session: Session, icao_hex: str) -> MilitaryRecord:
    """Return what is known of an aircraft (either case); the row is new where nothing is."""
    address = icao_hex.upper()
    is_listed = is_military_address(address)
    return session.get(MilitaryRecord, address) or MilitaryRecord(
        icao_hex=address, military=is_listed, listed=is_listed, reported_at=None, decided=None
    )


def decisions(session: Session) -> Sequence[MilitaryRecord]:
    """Return the aircraft of which somebody has set whether they are military, by address."""
    decided = sa.select(MilitaryRecord).where(MilitaryRecord.decided.is_not(None))
    return session.scalars(decided.order_by(MilitaryRecord.icao_hex)).all()


def decide(session: Session, actor: Actor, icao_hex: str, military: bool | None) -> MilitaryRecord:
    """Set whether an aircraft is military, whatever lists and receivers say; None leaves it to them again."""
    # First, so that two who decide at once wait for each other.
    _next_revision(session.connection())
    record = state_of(session, icao_hex)
    before, record.decided = record.decided, military
    record.military = record.listed or record.reported_at is not None if military is None else military
    session.add(record)
    session.flush()
    if before != military:
        target, states = (
            Target("airframe", record.icao_hex, record.icao_hex),
            ({"military": before}, {"military": military}),
        )
        audit.record(session, actor, "airframe.military_set", target, before=states[0], after=states[1])
        events.publish(session, Message(TOPIC, CHANGED, b"{}"), stored=False)
    return record


def _next_revision(connection: sa.Connection) -> int:
    insert = insert_of(connection.dialect.name, MilitaryRevision).values(id=1, revision=1)
    higher = {"revision": MilitaryRevision.revision + 1}
    upsert = insert.on_conflict_do_update(index_elements=["id"], set_=higher)
    return int(connection.execute(upsert.returning(MilitaryRevision.revision)).scalar_one())
