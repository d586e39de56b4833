"""The queries of the child process, in DuckDB's SQL over what Arrow reads; every value is bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

from skywatch.archive.contents.layout import ANY_POSITIONS, MILITARY, POSITIONS
from skywatch.archive.reader.questions import (
    NO_ALTITUDE,
    UNKNOWN,
    Condition,
    FlightsQuestion,
    KnownMilitary,
    PositionsQuestion,
    SlicesQuestion,
    StatisticsQuestion,
)

BATCH_ROWS = 65_536
# Operator of a condition -> SQL with the column and one bound value.
OPERATORS = {
    "=": "{column} = ?",
    ">=": "{column} >= ?",
    "<=": "{column} <= ?",
    "<": "{column} < ?",
    "starts": "starts_with({column}, ?)",
    "in": "list_contains(?, {column})",
}
MOMENTS = ("first_seen_at", "last_seen_at")
# Columns of flights that files of earlier releases do not have; there they are false.
LATER_COLUMNS = ("simulated",)
# Files of schema 1 have no source.
_UNKNOWN = {"alt_ft": NO_ALTITUDE, "gs_kt": UNKNOWN, "track_deg": UNKNOWN, "source": 0}


def positions(reader: Any, question: PositionsQuestion) -> dict[str, bytes]:
    """The columns of the points as bytes of their type, unknown values as ``NO_ALTITUDE`` and ``UNKNOWN``."""
    at = pc.field("at_cs")
    condition = (at >= question.begin_cs) & (at <= question.end_cs)
    aircraft = [] if question.icao is None else [question.icao, question.icao | MILITARY]
    if aircraft:
        condition = condition & pc.field("icao").isin(aircraft)
    if question.box is not None:
        # Rows are in order of 5-degree cells: most row groups are not read.
        condition = condition & _inside(*question.box)
    columns = {name: _without_nulls(name) for name in POSITIONS.names}
    if aircraft:
        table = reader.read_aircraft(question.files, columns, condition, ANY_POSITIONS, aircraft)
    else:
        table = reader.read(question.files, columns, condition, ANY_POSITIONS)
    return {name: np.ascontiguousarray(table[name].to_numpy()).tobytes() for name in POSITIONS.names}


def _without_nulls(name: str) -> Any:
    """A column of positions without nulls."""
    field = pc.field(name)
    return pc.coalesce(field, pa.scalar(_UNKNOWN[name], POSITIONS.field(name).type)) if name in _UNKNOWN else field


def _inside(west: int, south: int, east: int, north: int) -> Any:
    lat, lon = pc.field("lat_e5"), pc.field("lon_e5")
    after_west, before_east = lon >= west - 1, lon <= east + 1
    within_lon = after_west & before_east if west <= east else after_west | before_east
    return (lat >= south - 1) & (lat <= north + 1) & within_lon


def arrow_table(result: Any) -> Any:
    """A result as an Arrow table; the method has another name in earlier releases."""
    read = result.to_arrow_table if hasattr(result, "to_arrow_table") else result.fetch_arrow_table
    # DuckDB takes the memory of a whole batch however few rows there are: a million by default, 80 MB for positions.
    return read(BATCH_ROWS)


def slices(reader: Any, question: SlicesQuestion) -> list[int]:
    """The begins of the slices that have points."""
    at = pc.field("at_cs")
    reader.scan("positions", question.files, ["at_cs"], (at >= question.begin_cs) & (at <= question.end_cs))
    query = "SELECT DISTINCT at_cs - at_cs % ? AS slice_cs FROM positions ORDER BY slice_cs"
    return [row[0] for row in reader.database.execute(query, [question.slice_cs]).fetchall()]


def flights(reader: Any, question: FlightsQuestion) -> dict[str, Any]:
    """``rows`` of the page and ``count`` of all (0 where they are not counted)."""
    count = 0
    if question.counted:
        source, where, values = _flights(reader, question, _needed(question.conditions))
        count = reader.database.execute(f"SELECT count(*) FROM ({source}) WHERE {where}", values).fetchone()[0]  # noqa: S608
    source, where, values = _flights(reader, question, question.columns)
    if question.before is not None:
        at, key = question.before
        where = f"{where} AND (_first_us, id) < (?, ?)"
        values = [*values, at, key]
    shown = ", ".join(f"_{name.removesuffix('_seen_at')}_us" if name in MOMENTS else name for name in question.columns)
    query = f"SELECT {shown} FROM ({source}) WHERE {where} ORDER BY _first_us DESC, id DESC LIMIT ?"  # noqa: S608
    rows = reader.database.execute(query, [*values, question.limit]).fetchall()
    return {"rows": rows, "count": count}


def _needed(conditions: list[Condition]) -> list[str]:
    return list(dict.fromkeys(["id", "first_seen_at", *(item.column for item in conditions)]))


def _flights(reader: Any, question: Any, columns: list[str]) -> tuple[str, str, list[Any]]:
    """A source of flights in SQL, the conditions on it, and their values."""
    names = list(dict.fromkeys(["id", "first_seen_at", *columns, *(item.column for item in question.conditions)]))
    if "military" in names and "icao_hex" not in names:
        names.append("icao_hex")
    if not all(name.isidentifier() for name in names):
        raise ValueError("a column has no name of a column")
    reader.scan("archived", question.files, names, _pushed(question.conditions), later=LATER_COLUMNS)
    read = ", ".join(f"coalesce({name}, false) AS {name}" if name in LATER_COLUMNS else name for name in names)
    source = f"SELECT {read} FROM archived"  # noqa: S608 - names are checked above
    if question.extra:
        rows = {name: [row[index] for row in question.extra] for index, name in enumerate(question.columns)}
        reader.database.register("extra", pa.table({name: _array(name, rows[name]) for name in names}))
        source = f"{source} WHERE id NOT IN (SELECT id FROM extra) UNION ALL SELECT {', '.join(names)} FROM extra"  # noqa: S608
    if "military" in names:
        reader.database.register("known", _known(question.known))
        now = "coalesce(known.verdict, flown.military) AS military"
        source = f"SELECT flown.* REPLACE ({now}) FROM ({source}) AS flown LEFT JOIN known USING (icao_hex)"  # noqa: S608
    moments = ", ".join(f"epoch_us({name}) AS _{name.removesuffix('_seen_at')}_us" for name in MOMENTS if name in names)
    source = f"SELECT *, {moments} FROM ({source})"  # noqa: S608
    clauses, values = ["true"], list[Any]()
    for item in question.conditions:
        column = f"_{item.column.removesuffix('_seen_at')}_us" if item.column in MOMENTS else item.column
        clauses.append(OPERATORS[item.operator].format(column=column))
        values.append(item.value)
    return source, " AND ".join(clauses), values


def _known(known: KnownMilitary) -> Any:
    """Addresses and whether they are military, whatever the rows say."""
    military, civil = known.military.split(), known.civil.split()
    verdicts = [True] * len(military) + [False] * len(civil)
    return pa.table({"icao_hex": pa.array(military + civil, pa.string()), "verdict": pa.array(verdicts, pa.bool_())})


def _array(name: str, values: list[Any]) -> Any:
    return pa.array(values, pa.timestamp("us", tz="UTC")) if name in MOMENTS else pa.array(values)


def _pushed(conditions: list[Condition]) -> Any:
    """The conditions that skip row groups by their statistics."""
    pushed = None
    for item in conditions:
        if item.column in MOMENTS:
            value: Any = pa.scalar(item.value, pa.timestamp("us", tz="UTC"))
        elif item.column in ("id", "icao_hex") and item.operator in ("=", "in"):
            value = item.value
        else:
            continue
        field = pc.field(item.column)
        one = {
            "=": lambda field=field, value=value: field == value,
            "in": lambda field=field, value=value: field.isin(value),
            ">=": lambda field=field, value=value: field >= value,
            "<=": lambda field=field, value=value: field <= value,
            "<": lambda field=field, value=value: field < value,
        }[item.operator]()
        pushed = one if pushed is None else pushed & one
    return pushed


_COUNTED = ("icao_hex", "callsign", "aircraft_type", "positions", "messages", "military", "emergency")
_GREATEST = ("max_distance_nm", "max_altitude_ft", "max_speed_kt")


# The band of the greatest altitude; null where none is known.
_BAND = (
    "CASE "
    + " ".join(
        f"WHEN max_altitude_ft {test} THEN {band}"
        for band, test in enumerate(("< 5000", "< 10000", "< 20000", "< 30000", "< 40000", ">= 40000"))
    )
    + " END"
)


def statistics(reader: Any, question: StatisticsQuestion) -> dict[str, Any]:
    """Totals, and counts by day, hour (UTC), band of altitude, aircraft, type and operator."""
    columns = [*_COUNTED, *_GREATEST]
    source, where, values = _flights(reader, question, columns)
    run = reader.database.execute
    shown = ", ".join(columns)
    run(f"CREATE OR REPLACE TEMP TABLE chosen AS SELECT _first_us, {shown} FROM ({source}) WHERE {where}", values)  # noqa: S608
    try:
        totals = run(
            "SELECT count(*), coalesce(sum(positions), 0)::BIGINT, coalesce(sum(messages), 0)::BIGINT,"
            " count(*) FILTER (military), count(*) FILTER (emergency),"
            " max(max_distance_nm), max(max_altitude_ft), max(max_speed_kt) FROM chosen"
        ).fetchone()
        days = run(
            "SELECT _first_us // 86400000000, count(*), count(DISTINCT icao_hex), coalesce(sum(positions), 0)::BIGINT"
            " FROM chosen GROUP BY 1 ORDER BY 1"
        ).fetchall()
        groups = {
            name: run(
                f"SELECT {what}, count(*) FROM chosen WHERE {what} IS NOT NULL GROUP BY 1"  # noqa: S608 - from below
            ).fetchall()
            for name, what in (
                ("aircraft", "icao_hex"),
                ("types", "aircraft_type"),
                ("operators", "substr(callsign, 1, 3)"),
                ("hours", "_first_us // 3600000000 % 24"),
                ("altitudes", _BAND),
            )
        }
    finally:
        run("DROP TABLE chosen")
    return {"totals": totals, "days": days, **groups}
