"""The worker's part of the map of the region: when it stops, and what becomes of what nobody foresaw."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor
from skywatch.http.requests.request import Request
from skywatch.web import views
from skywatch.web.region import download, service, source
from skywatch.web.region import job as jobs
from skywatch.web.region.cut import Cut, Region
from skywatch.web.region.errors import NotThere, Stopped
from skywatch.web.region.place import part_of

ACTOR = Actor("root", "console")


@pytest.fixture
def sessions(sqlite_url):
    engine = create_engine(sqlite_url)
    yield create_session_factory(engine)
    engine.dispose()


@pytest.fixture
def maps(sessions, sqlite_url, tmp_path, monkeypatch):
    monkeypatch.setattr(service, "PAUSES_S", (0, 0))
    runtime = SimpleNamespace(sessions=sessions, settings=SimpleNamespace(database_url=sqlite_url))
    return service.RegionMaps(runtime, tmp_path / "map")


def ask(sessions):
    with writing(sessions) as session:
        jobs.ask_size(session, ACTOR, Region(47.0, 8.0, 50, 11), "https://a.example")
    return job_of(sessions)


def job_of(sessions):
    with sessions() as session:
        return jobs.read_job(session)


def test_a_stop_ends_reads_that_succeed(sessions, maps, monkeypatch):
    monkeypatch.setattr(service, "NOTE_EVERY_S", 0)
    job, read = ask(sessions), []
    maps._again(job, lambda: read.append(1))
    with writing(sessions) as session:
        jobs.stop(session, ACTOR)
    with pytest.raises(Stopped):
        maps._again(job, lambda: read.append(2))
    assert read == [1]


def test_the_end_of_the_worker_ends_reads_that_succeed(sessions, maps):
    job = ask(sessions)
    maps._worker.stopping.set()
    with pytest.raises(Stopped):
        maps._again(job, lambda: pytest.fail("read"))


def test_it_is_looked_at_most_once_a_second_whether_a_map_is_wanted(sessions, maps):
    job, looked = ask(sessions), []
    sa.event.listen(sessions.kw["bind"], "before_cursor_execute", lambda *of: looked.append(of[2]))
    for _ in range(5):
        maps._again(job, lambda: None)
    assert len(looked) == 1


def test_a_fault_that_nobody_foresaw_is_said_once(sessions, maps, monkeypatch, caplog):
    ask(sessions)
    monkeypatch.setattr(source, "open_source", lambda *_: 1 // 0)
    maps.look()
    job = job_of(sessions)
    assert (job.phase, job.reason) == ("failed", "Skywatch has a fault here; its log says more.")
    assert "ZeroDivisionError" in caplog.text
    maps.look()
    assert caplog.text.count("ZeroDivisionError: ") == 1


def begin(sessions):
    """A job that is being fetched."""
    job = ask(sessions)
    with writing(sessions) as session:
        jobs.note(session, job, phase="measured", bytes=9, address="https://a.example", version="1 9")
    with writing(sessions) as session:
        jobs.begin(session, ACTOR)
    return job_of(sessions)


def discard(sessions):
    with writing(sessions) as session:
        jobs.forget(session, ACTOR)


def test_the_row_of_a_job_stays_while_it_changes(sessions):
    job, said = ask(sessions), []
    sa.event.listen(sessions.kw["bind"], "before_cursor_execute", lambda *of: said.append(of[2].split()[0]))
    with writing(sessions) as session:
        jobs.note(session, job, phase="measured")
    assert "UPDATE" in said
    assert not {"DELETE", "INSERT"} & set(said)
    assert job_of(sessions).phase == "measured"


def test_of_two_who_ask_at_once_one_is_refused(sessions, monkeypatch):
    ask(sessions)
    monkeypatch.setattr(jobs, "read_job", lambda session, **_: None)
    with pytest.raises(Problem, match="being fetched already"):
        ask(sessions)


def test_what_is_under_way_is_not_removed(sessions):
    ask(sessions)
    with pytest.raises(Problem, match="stop that first"):
        discard(sessions)
    assert job_of(sessions).phase == "measuring"


def test_a_job_that_another_worker_did_in_between_is_not_done_again(sessions, maps, monkeypatch):
    job = ask(sessions)

    def take():
        with writing(sessions) as session:
            jobs.note(session, job, phase="measured")

    monkeypatch.setattr(maps._lock, "take", take)
    monkeypatch.setattr(maps, "_perform", lambda job: pytest.fail("done again"))
    maps.look()


def test_a_part_is_removed_at_the_start_and_when_its_job_has_gone_and_no_file_of_others(sessions, maps, tmp_path):
    part, foreign = part_of(tmp_path / "map"), tmp_path / "map.part"
    foreign.touch()
    part.touch()
    maps.look()
    assert not part.exists()
    part.touch()
    maps.look()
    assert part.exists()
    job = ask(sessions)
    with writing(sessions) as session:
        jobs.note(session, job, phase="measured")
    maps.look()
    discard(sessions)
    maps.look()
    assert not part.exists()
    assert foreign.exists()


def test_what_was_measured_is_kept_for_an_hour_and_for_its_own_map(sessions, maps):
    job, cut = begin(sessions), Cut(b"", (), 0)
    for asked_at, kept_until, other in [
        (job.asked_at, time.monotonic() - 1, job),
        (None, time.monotonic() + 99, job),
        (job.asked_at, time.monotonic() + 99, None),
    ]:
        maps._measured = asked_at, cut, kept_until
        maps._forget_measured(other)
        assert maps._measured is None
    maps._measured = job.asked_at, cut, time.monotonic() + 99
    maps._forget_measured(job)
    assert maps._measured is not None


def test_a_stop_in_the_last_second_wins(sessions, maps, monkeypatch, tmp_path):
    job = begin(sessions)
    maps._measured = job.asked_at, Cut(b"head", (), 1), time.monotonic() + 99

    def stop(*_, **__):
        with writing(sessions) as session:
            jobs.stop(session, ACTOR)

    monkeypatch.setattr(download, "room_for", lambda path, size: True)
    # The first note of progress was just made: the next is due only in a second.
    monkeypatch.setattr(service.health, "report", stop)
    maps.look()
    assert job_of(sessions).phase == "stopped"
    assert not (tmp_path / "map").exists()
    assert part_of(tmp_path / "map").exists()


def test_a_build_that_has_gone_has_to_be_measured_again(sessions, maps, monkeypatch, tmp_path):
    begin(sessions)
    part_of(tmp_path / "map").touch()

    def read(*_):
        raise NotThere("The source of the map answers 404.")

    monkeypatch.setattr(source.Source, "read", read)
    maps.look()
    job = job_of(sessions)
    assert (job.phase, job.bytes, job.goes_on) == ("failed", 0, False)
    assert "no longer has the map" in job.reason
    assert not part_of(tmp_path / "map").exists()


def test_the_name_of_a_map_is_on_the_disk_before_it_is_done(tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr(download, "room_for", lambda path, size: True)
    monkeypatch.setattr(os, "fsync", lambda descriptor: kept.append(os.path.samestat(os.fstat(descriptor), folder)))
    folder = tmp_path.stat()
    download.fetch(Cut(b"head", (), 1), None, tmp_path / "map", lambda done: None)
    assert kept == [True]
    assert (tmp_path / "map").read_bytes() == b"head"


def test_a_map_that_is_replaced_while_it_is_answered_has_its_own_size(tmp_path, monkeypatch):
    class Replaced(type(Path())):
        def open(self, *args, **kwargs):
            (tmp_path / "newer").write_bytes(b"newer map")
            os.replace(tmp_path / "newer", self)
            return super().open(*args, **kwargs)

    path = Replaced(tmp_path / "map")
    path.write_bytes(b"map")
    monkeypatch.setattr(views, "region_file", lambda settings: path)
    request = Request.blank("/")
    request.runtime = SimpleNamespace(settings=None)
    answer = views.get_region_map(request)
    assert (answer.content_length, answer.body) == (9, b"newer map")
    assert answer.etag.endswith("-9")
    monkeypatch.setattr(views, "region_file", lambda settings: tmp_path / "none")
    with pytest.raises(Problem, match="no such map"):
        views.get_region_map(request)
