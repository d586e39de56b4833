"""What history answers where the archive is damaged, newer, missing, busy, slow or not installed."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from dataclasses import fields
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow.parquet as pq
import pytest

from skywatch.archive.errors import Uninstalled
from skywatch.archive.reader import archive_reader
from skywatch.archive.reader.query_limits import NoTurn, Turns
from skywatch.archive.settings import ArchiveSettings
from skywatch.history.storage.archive_columns import table_of
from skywatch.history.storage.points import POINT
from tests.archives import FIRST, address_of, archive, fill, prune
from tests.functional.history.recorded import ANALYST
from tests.identities import install
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

RETENTION = {"retention_positions_days": 1.0, "retention_flights_days": 1.0}
DAY = FIRST + timedelta(days=1)
MOMENT = "/api/v1/history/picture?at=2026-03-02T06:30:00Z"
OTHER_DAY = "/api/v1/history/picture?at=2026-03-01T06:30:00Z"


@pytest.fixture(scope="module")
def origin(migrated_sqlite, tmp_path_factory):
    return tmp_path_factory.mktemp("origin"), migrated_sqlite


@pytest.fixture
def service(origin, tmp_path, make_client):
    """A client of a service whose three days are in the archive only, with settings of its own."""

    def make(**settings):
        folder, empty = origin
        if not (folder / "archive").exists():
            first = _open(make_client, shutil.copy(empty, folder / "a.sqlite"), folder, RETENTION)
            fill(first.runtime.sessions)
            archive(first.runtime.sessions, first.runtime.settings)
            prune(first.runtime, first.runtime.settings)
            with first.runtime.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copytree(folder / "archive", tmp_path / "archive")
        return _open(make_client, shutil.copy(folder / "a.sqlite", tmp_path / "a.sqlite"), tmp_path, settings)

    return make


def _open(make_client, database, folder, settings):
    urls = {"database_url": f"sqlite:///{database}", "archive_url": f"file://{folder}/archive"}
    # On a busy machine a child starts in more than 30 s.
    patient = {"archive_query_s": 10 * PATIENCE_S}
    return install(make_client(auth_mode="hybrid", **urls, **(patient | settings)))


def refused(client, path=MOMENT):
    answer = client.get(path, headers=ANALYST, status=503).json
    assert answer["code"] == "unavailable"
    return answer["detail"]


def changed(path):
    data = bytearray(path.read_bytes())
    data[40] ^= 0xFF
    path.write_bytes(data)


def newer(path):
    path.write_text(path.read_text().replace('"schema": 2', '"schema": 3'))


def elsewhere(path):
    path.write_text(path.read_text().replace("positions-06.parquet", "../../../etc/passwd"))


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("positions-06.parquet", changed, "is damaged"),
        ("positions-06.parquet", lambda path: path.write_bytes(path.read_bytes()[:-9]), "is damaged"),
        ("positions-06.parquet", lambda path: path.unlink(), "is damaged"),
        ("manifest.json", lambda path: path.unlink(), "is missing"),
        ("manifest.json", newer, "newer release"),
        ("manifest.json", elsewhere, "files that are not the archive's"),
        ("manifest.json", lambda path: path.write_text("{"), "is damaged"),
    ],
    ids=["changed byte", "cut short", "no file", "no manifest", "schema 3", "another name", "no JSON"],
)
def test_damaged_day_is_named_and_other_days_answer(service, tmp_path, name, damage, words):
    client = service()
    damage(tmp_path / "archive" / f"day={DAY}" / name)
    detail = refused(client)
    assert "2026-03-02" in detail
    assert words in detail
    assert client.get(OTHER_DAY, headers=ANALYST).json["count"] > 0


def test_damaged_day_breaks_no_answer_off_silently(service, tmp_path):
    client = service()
    changed(tmp_path / "archive" / f"day={DAY}" / "flights.parquet")
    for path in ("flights", "stats?from=2026-03-01T00:00:00Z&to=2026-03-05T00:00:00Z", "flights?callsign=TST1*"):
        assert "2026-03-02" in refused(client, f"/api/v1/history/{path}")


@pytest.mark.parametrize("damage", ["flights.parquet", "manifest.json"])
def test_damaged_day_takes_the_next_one_with_it_nowhere(service, tmp_path, damage):
    client = service()
    changed(tmp_path / "archive" / f"day={DAY}" / damage)
    span = "from=2026-03-03T00:00:00Z&to=2026-03-03T23:59:59Z"
    track = f"/api/v1/history/tracks/{address_of(0)}?{span}"
    for path in (track, f"/api/v1/history/flights?{span}", f"/api/v1/history/timeline?{span}"):
        answer = client.get(path, headers=ANALYST)
        assert answer.headers["Skywatch-Left-Out"] == "2026-03-02"
        assert answer.json.get("count", 1) > 0
    # The span before, with which it is compared.
    answer = client.get(f"/api/v1/history/stats?{span}", headers=ANALYST)
    assert answer.headers["Skywatch-Left-Out"] == "2026-03-02"
    assert answer.json["change"] == {"flights": None, "aircraft": None, "positions": None}
    # Flights count on the day on which they began: the day before a span is not even read.
    answer = client.get("/api/v1/history/heatmap?from=2026-03-03T06:00:00Z&to=2026-03-03T07:00:00Z", headers=ANALYST)
    assert "Skywatch-Left-Out" not in answer.headers
    assert client.get("/api/v1/history/picture?at=2026-03-03T00:01:00Z", headers=ANALYST).json["count"] >= 0
    # What is asked for itself is no neighbour.
    assert "2026-03-02" in refused(
        client, f"/api/v1/history/tracks/{address_of(0)}?from=2026-03-02T23:59:00Z&to=2026-03-03T01:00:00Z"
    )


def test_without_the_extra_only_what_the_database_has_answers(service, monkeypatch):
    client = service()

    def missing():
        raise Uninstalled

    monkeypatch.setattr("skywatch.archive.reader.archive_reader.require_extra", missing)
    assert "skywatch[archive]" in refused(client)
    assert client.get("/api/v1/history/picture?at=2026-05-01T00:00:00Z", headers=ANALYST).json["count"] == 0


def test_query_that_takes_too_long_is_ended(service, monkeypatch):
    client = service(archive_query_s=0.1)
    monkeypatch.setattr(archive_reader, "COMMAND", [archive_reader.COMMAND[0], "-c", "import time; time.sleep(60)"])
    assert "archive_query_s" in refused(client)


def test_child_without_memory_is_an_answer(service, monkeypatch):
    client = service()
    monkeypatch.setattr(archive_reader, "COMMAND", [archive_reader.COMMAND[0], "-c", "import os; os.abort()"])
    assert "archive_query_mb" in refused(client)


def test_query_beyond_its_memory_is_refused_and_the_service_goes_on(service, tmp_path):
    client = service(archive_query_mb=192)
    folder = tmp_path / "archive" / f"day={DAY}"
    many = np.zeros(2_000_000, POINT)
    many["at"] = int(datetime(2026, 3, 2, 6, 30, tzinfo=UTC).timestamp() * 100) + np.arange(len(many)) % 30_000
    many["flight"], many["aircraft"] = np.arange(len(many)), np.arange(len(many)) % 60_000
    pq.write_table(table_of(many), folder / "positions-06.parquet", compression="zstd")
    data = (folder / "positions-06.parquet").read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text())
    for file in manifest["files"]:
        if file["name"] == "positions-06.parquet":
            file |= {"rows": len(many), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for _ in range(2):
        assert "archive_query_mb" in refused(client)
        assert client.get(OTHER_DAY, headers=ANALYST).json["count"] > 0


def test_least_memory_that_may_be_set_answers_small_queries(service):
    least = next(field for field in fields(ArchiveSettings) if field.name == "archive_query_mb").metadata["minimum"]
    client = service(archive_query_mb=least)
    assert client.get(MOMENT, headers=ANALYST).json["count"] > 0
    track = f"/api/v1/history/tracks/{address_of(0)}?from=2026-03-01T00:00:00Z&to=2026-03-05T00:00:00Z"
    assert client.get(track, headers=ANALYST).json["points"]


def test_third_query_at_once_is_refused(service):
    client = service()
    turns = Turns(client.runtime.settings.database_url, 2)
    with turns.turn("user 7", 0), turns.turn("user 8", 0):
        assert "queries over the archive are running" in refused(client)
    assert client.get(MOMENT, headers=ANALYST).json["count"] > 0


def test_second_query_of_a_user_is_refused_with_a_time(service):
    client = service()
    turns = Turns(client.runtime.settings.database_url, 2)
    with turns.turn("user 1", 0):
        answer = client.get(MOMENT, headers=ANALYST, status=503)
        assert int(answer.headers["Retry-After"]) > 0
        assert "query of yours" in answer.json["detail"]


def test_turns_are_given_one_after_the_other():
    turns, held = Turns("sqlite://", 2), threading.Event()
    with turns.turn("a", 0), turns.turn("b", 0), pytest.raises(NoTurn), turns.turn("c", 0):
        held.set()
    assert not held.is_set()
    with turns.turn("c", 0):
        held.set()
    assert held.is_set()


def test_values_of_a_query_are_no_sql(service):
    client = service()
    for value in ("'; DROP", "' OR 1", 'x"--', "\\'*"):
        query = {"callsign": value[:9]}
        assert client.get("/api/v1/history/flights", query, headers=ANALYST).json["count"] == 0
