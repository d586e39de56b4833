"""A manifest is checked before it is used."""

from __future__ import annotations

from datetime import UTC, date, datetime

import msgspec
import pytest

from skywatch.archive.contents.manifest import DayFile, Manifest, day_of, parse_manifest
from skywatch.archive.errors import DayError

DAY = date(2026, 3, 1)
WHOLE = Manifest(
    schema=2,
    files=(DayFile("positions-07.parquet", 5, 100, "0" * 64), DayFile("flights.r2.parquet", 1, 9, "f" * 64)),
    begin=datetime(2026, 3, 1, tzinfo=UTC),
    end=datetime(2026, 3, 2, tzinfo=UTC),
    station=None,
    release="0.2.0",
)


def damaged(**changes):
    return msgspec.structs.replace(WHOLE, **changes)


def named(name):
    return damaged(files=(DayFile(name, 1, 9, "f" * 64),))


def test_manifest_is_read_as_it_was_written():
    assert parse_manifest(WHOLE.encode(), DAY) == WHOLE
    assert msgspec.json.decode(WHOLE.encode()).keys() == {"schema", "files", "from", "to", "station", "release"}


@pytest.mark.parametrize(
    "name",
    [
        "../flights.parquet",
        "/etc/passwd",
        "flights.parquet'; DROP TABLE x; --",
        "flights.parquet\n",
        "s3://other/flights.parquet",
        "FLIGHTS.parquet",
        "flights*.parquet",
        "",
    ],
)
def test_names_that_are_not_the_archives_are_refused(name):
    with pytest.raises(DayError, match="names files that are not the archive's"):
        parse_manifest(named(name).encode(), DAY)


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (damaged(schema=3), "newer release"),
        (damaged(schema=0), "no schema"),
        (damaged(begin=datetime(2026, 3, 2, tzinfo=UTC), end=datetime(2026, 3, 3, tzinfo=UTC)), "another day"),
        (damaged(files=WHOLE.files * 2), "not the archive's"),
        (damaged(files=(DayFile("flights.parquet", 1, 9, "short"),)), "wrong figures"),
        (damaged(files=(DayFile("flights.parquet", -1, 9, "f" * 64),)), "wrong figures"),
    ],
)
def test_manifest_that_says_something_else_is_refused(manifest, why):
    with pytest.raises(DayError, match=why) as error:
        parse_manifest(manifest.encode(), DAY)
    assert error.value.day == DAY


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"schema":"one"}', b'{"schema":1}', b"\xff" * 20])
def test_bytes_that_are_no_manifest_are_refused(data):
    with pytest.raises(DayError, match="cannot be read"):
        parse_manifest(data, DAY)


def test_only_folders_of_days_are_days():
    assert day_of("day=2026-03-01") == DAY
    assert [day_of(name) for name in ("day=2026-02-30", "day=2026-3-1", "batch", "day=2026-03-01x", ".staging")] == [
        None
    ] * 5
