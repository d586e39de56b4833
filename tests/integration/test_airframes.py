"""Airframe databases are taken in as a whole, on both databases, and a running picture learns of it."""

from __future__ import annotations

import gzip

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.airframes.cache import AirframeCache
from skywatch.airframes.importers.importer import ImportFailed, import_file
from skywatch.airframes.military import CHANGED, TOPIC, decide, military_aircraft, revision
from skywatch.airframes.service import Airframe, find, find_many
from skywatch.cli import group
from skywatch.core.bus import Message
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.storage.audit import Actor
from tests.waiting import PATIENCE_S, until

FIRST = "4B1620;HB-IJS;A320;00;AIRBUS A-320;;Swiss;\nADFEB3;05-1932;GLF5;01;GULFSTREAM;;;\nbad line\n"
SECOND = "4B1620;HB-IJS;A321;00;AIRBUS A-321;;Swiss;\n3C6444;D-AIBD;A319;00;AIRBUS A-319;;;\n"
OPENSKY = '"icao24","registration","typecode","operator"\n"4b1620","HB-XXX","","Swiss International"\n'


@pytest.fixture
def engine(database_url):
    engine = create_engine(database_url)
    yield engine
    engine.dispose()


def write(path, text, zipped=False):
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_an_import_replaces_what_its_database_said_before(engine, tmp_path, zipped):
    sessions = create_session_factory(engine)
    seen = []
    outcome = import_file(engine, write(tmp_path / "a", FIRST, zipped), "tar1090", seen.append)
    assert (outcome.aircraft, outcome.added, outcome.changed, outcome.removed, outcome.refused) == (2, 2, 0, 0, 1)
    assert outcome.examples[0].line == 3
    assert seen[-1] == (tmp_path / "a").stat().st_size
    outcome = import_file(engine, tmp_path / "a", "tar1090")
    assert (outcome.added, outcome.changed, outcome.removed) == (0, 0, 0)
    outcome = import_file(engine, write(tmp_path / "b", SECOND), "tar1090")
    assert (outcome.added, outcome.changed, outcome.removed) == (1, 1, 1)
    import_file(engine, write(tmp_path / "c", OPENSKY), "opensky")
    with sessions() as session:
        assert find(session, "4b1620") == Airframe(
            "4B1620", "HB-IJS", "A321", "AIRBUS A-321", "Swiss International", "Swiss", sources=("tar1090", "opensky")
        )
        found = find_many(session, ["3c6444", "adfeb3", "000000", "~3c6444", "'; DROP TABLE airframes"])
        assert sorted(found) == ["3C6444", "ADFEB3"]
        assert found["ADFEB3"] == Airframe("ADFEB3", military=True)
        with pytest.raises(ValueError, match="500"):
            find_many(session, ["3c6444"] * 501)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no aircraft"),
        (b"hello\nworld\n", "is not a tar1090 database"),
        (gzip.compress(FIRST.encode(), mtime=0)[:-12], "ended"),
        (gzip.compress(FIRST.encode(), mtime=0)[:20] + b"garbage", "bad"),
    ],
    ids=["empty", "words", "cut-short", "damaged"],
)
def test_a_file_that_is_not_one_changes_nothing(engine, tmp_path, content, message):
    import_file(engine, write(tmp_path / "a", FIRST), "tar1090")
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(ImportFailed, match=message):
        import_file(engine, tmp_path / "bad", "tar1090")
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM airframes")).scalar_one() == 2


def test_the_book_looks_up_in_the_background_and_again_after_an_import(runtime, tmp_path):
    import_file(runtime.engine, write(tmp_path / "a", FIRST), "tar1090")
    queries = []
    sa.event.listen(runtime.engine, "before_cursor_execute", lambda *args: queries.append(args[2]))
    book = AirframeCache(runtime.sessions, runtime.bus)
    assert book.lookup(["4b1620"]) == [None]
    book.start()
    addresses = ["4b1620", "adfeb3", "~123456", *(f"{n:06x}" for n in range(997))]
    found = book.lookup(addresses, wait_s=PATIENCE_S)
    assert found[0].type_code == "A320"
    assert found[1].military
    assert found[2] == Airframe("~123456")
    count = sum("FROM airframes" in query for query in queries)
    assert 2 <= count <= 3
    for _ in range(10):
        assert None not in book.lookup(addresses)
    assert sum("FROM airframes" in query for query in queries) == count
    import_file(runtime.engine, write(tmp_path / "b", SECOND), "tar1090")
    runtime.bus.publish(Message(TOPIC, CHANGED, b"{}"))
    until(lambda: book.lookup(["4b1620"])[0].type_code == "A321")
    book.close()


def test_what_receivers_report_is_stored_once_and_known_from_then_on(runtime):
    cache = AirframeCache(runtime.sessions, runtime.bus)
    cache.store_reports({"4b1620"})  # Nobody would store it: it is not asked for again.
    cache.start()
    assert not cache.lookup(["4b1620"], wait_s=PATIENCE_S)[0].military
    cache.store_reports({"4b1620", "~3c6444"})
    until(lambda: cache.lookup(["4b1620"])[0].military)
    with runtime.sessions() as session:
        known, then = military_aircraft(session), revision(session)
        assert [address in known for address in ("4B1620", "~3C6444", "3C6444")] == [True, True, False]
    cache.store_reports({"4b1620", "3c6444"})
    until(lambda: cache.lookup(["3c6444"])[0] and cache.lookup(["3c6444"])[0].military)
    with runtime.sessions() as session:
        assert revision(session) == then + 1
    with writing(runtime.sessions) as session:
        decide(session, Actor("ada", "session", 1), "4B1620", False)
    until(lambda: not cache.lookup(["4b1620"])[0].military)
    cache.close()


def test_a_list_hides_and_shows_what_it_flags(runtime, tmp_path):
    def known():
        with runtime.sessions() as session:
            military = military_aircraft(session)
            return [address for address in ("4B1620", "ADFEB3", "3C6444") if address in military]

    assert known() == ["ADFEB3"]  # By its block.
    import_file(runtime.engine, write(tmp_path / "a", FIRST.replace("A320;00", "A320;10")), "tar1090")
    assert known() == ["4B1620", "ADFEB3"]
    import_file(runtime.engine, write(tmp_path / "b", SECOND), "tar1090")
    assert known() == ["ADFEB3"]


def test_airframes_of_addresses_that_have_left_are_removed(runtime, monkeypatch):
    monkeypatch.setattr("skywatch.airframes.cache.SPARE", 50)
    cache = AirframeCache(runtime.sessions, runtime.bus)
    cache.start()
    for first in range(0, 1000, 100):
        assert None not in cache.lookup([f"{first + n:06x}" for n in range(100)], wait_s=PATIENCE_S)
        assert len(cache) <= 4 * 100 + 50
    cache.lookup(["000001"])
    assert len(cache) <= 4 + 50
    cache.close()


def test_the_command_imports_and_says_what_it_did(tmp_path, sqlite_url):
    ini = tmp_path / "x.ini"
    ini.write_text(f"[app:main]\nuse = egg:skywatch\nenvironment = development\ndatabase_url = {sqlite_url}\n")
    good = write(tmp_path / "good.csv", FIRST)
    arguments = ["airframes", "import", str(ini), str(good), "--format", "tar1090"]
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 0, result.output
    assert "2 airframes: 2 new, 0 changed, 0 removed; 1 lines refused." in result.output
    assert "line 3: has 1 fields" in result.output
    missing = CliRunner().invoke(group, ["airframes", "import", str(ini), str(tmp_path / "no"), "--format", "tar1090"])
    assert missing.exit_code == 1
    assert "No such file" in missing.output
    assert "Traceback" not in missing.output


def test_a_byte_order_mark_loses_no_line(engine, tmp_path):
    lines = "".join(f"4CAF0{n};HB-Y0{n};A320;00;AIRBUS A-320;2015;SOMEBODY;;\n" for n in range(3))
    path = tmp_path / "aircraft.csv"
    path.write_text("\ufeff" + lines, encoding="utf-8")
    outcome = import_file(engine, path, "tar1090")
    assert (outcome.aircraft, outcome.refused) == (3, 0)
