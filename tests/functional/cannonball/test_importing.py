"""Imports during other writes and reads: nobody waits for the comparison, and nothing that others did is lost."""

import pytest
import sqlalchemy as sa

from skywatch.cannonball.known import service
from skywatch.cannonball.known.formats.delimited_table import Dialect, text_table
from skywatch.cannonball.known.imports import update
from skywatch.cannonball.known.imports.lists import stage_list
from skywatch.cannonball.known.imports.update import import_staged
from skywatch.cannonball.known.schemas import KnownAircraftChangeFields, NewKnownAircraftFields
from skywatch.cannonball.models import KnownAircraft
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.security.visibility import EVERYTHING

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_an_import_makes_entries_searchable_that_the_version_before_has_written",
        "test_others_write_while_rows_are_compared",
        "test_what_others_change_between_comparison_and_lock_is_kept",
        "test_what_the_version_before_writes_is_hidden_at_once_and_found_once_the_tracker_has_seen_it",
    ],
)

HEADER = "icao_hex,registration,agency_name\n"


@pytest.fixture
def runtime(client):
    return client.runtime


def staged(rows):
    return stage_list(text_table((HEADER + rows).encode(), Dialect()), "skywatch")


def do_import(runtime, rows, **options):
    with staged(rows) as aside:
        return import_staged(runtime.engine, aside, actor=COMMAND_LINE, **options)


def by_hand(runtime, change):
    with writing(runtime.sessions) as db:
        change(db)


def adding(icao_hex, agency_name):
    fields = NewKnownAircraftFields(icao_hex=icao_hex, agency_name=agency_name)
    return lambda session: service.create(session, COMMAND_LINE, fields)


def renaming(known_id, agency_name):
    fields = KnownAircraftChangeFields(agency_name=agency_name)
    return lambda session: service.change(session, EVERYTHING, COMMAND_LINE, known_id, fields)


def names(runtime):
    with runtime.sessions() as db:
        rows = db.execute(sa.select(KnownAircraft.icao_hex, KnownAircraft.agency_name))
        return {row.icao_hex: row.agency_name for row in rows}


def test_others_write_while_rows_are_compared(runtime):
    do_import(runtime, "A00001,N1,Fresno Police\n")
    compared = []

    def write(rows):
        # In this very thread: it would wait in vain for a lock that the import held.
        compared.append(rows)
        by_hand(runtime, adding(f"B0000{len(compared)}", "Mine"))

    report = do_import(runtime, "A00001,N1,Fresno Police Dept\nA00002,N2,Reno Police\n", advance=write)
    assert (report.added, report.updated) == (1, 1)
    assert compared == [2]
    assert names(runtime) == {"A00001": "Fresno Police Dept", "A00002": "Reno Police", "B00001": "Mine"}


@pytest.mark.parametrize("unlocked_attempts", [0, 1, 2])
def test_what_others_change_between_comparison_and_lock_is_kept(runtime, monkeypatch, unlocked_attempts):
    monkeypatch.setattr(update, "UNLOCKED_ATTEMPTS", unlocked_attempts)
    do_import(runtime, "A00001,N1,Fresno Police\n")
    with runtime.sessions() as db:
        known_id = db.scalar(sa.select(KnownAircraft.id))

    def edit(rows):
        by_hand(runtime, renaming(known_id, "City of Fresno"))
        by_hand(runtime, adding("A00002", "Mine"))

    report = do_import(runtime, "A00001,N9,Fresno Police Dept\nA00002,N2,Reno Police\n", advance=edit)
    with runtime.sessions() as db:
        rows = db.execute(sa.select(KnownAircraft.agency_name, KnownAircraft.registration).order_by("icao_hex")).all()
    # Edited by hand while it was compared: the name stays, what nobody edited is updated.
    assert rows[0] == ("City of Fresno", "N9")
    assert rows[1] == ("Mine", "N2")
    assert (report.added, report.updated, report.unchanged) == (0, 2, 0)


def test_an_import_that_fails_half_way_changes_nothing(runtime, monkeypatch):
    do_import(runtime, "A00001,N1,Fresno Police\n")
    monkeypatch.setattr(update.Plan, "carry_out", half_done(update.Plan.carry_out))
    with pytest.raises(RuntimeError):
        do_import(runtime, "A00001,N1,Other\nA00002,N2,Reno Police\n")
    monkeypatch.undo()
    assert names(runtime) == {"A00001": "Fresno Police"}
    assert imports_in(runtime) == [1]
    # The connection that goes back to the pool is as it was: the next import finds nothing in its way.
    assert do_import(runtime, "A00001,N1,Other\nA00002,N2,Reno Police\n").added == 1


def test_an_import_without_its_audit_entry_changes_nothing(runtime, monkeypatch):
    def fail(*args, **kw):
        raise RuntimeError("no entry")

    monkeypatch.setattr(update, "record", fail)
    with pytest.raises(RuntimeError):
        do_import(runtime, "A00001,N1,Fresno Police\n")
    monkeypatch.undo()
    assert names(runtime) == {}
    assert imports_in(runtime) == []


def test_an_import_that_changes_nothing_leaves_an_entry_too(runtime):
    do_import(runtime, "A00001,N1,Fresno Police\n")
    do_import(runtime, "A00001,N1,Fresno Police\n")
    do_import(runtime, "A00002,N2,Reno Police\n", dry_run=True)
    assert imports_in(runtime) == [1, 0]


def imports_in(runtime):
    """How many aircraft each recorded import added."""
    with runtime.sessions() as db:
        entries = db.scalars(sa.select(AuditEntry).where(AuditEntry.action == "known_aircraft.imported"))
        return [entry.after["added"] for entry in entries.all()]


def half_done(carry_out):
    def fail(plan, revision):
        carry_out(plan, revision)
        raise RuntimeError("in the middle")

    return fail


def test_whoever_imports_finds_the_new_list_with_the_next_request(client):
    from tests.functional.cannonball.test_import import LIST, VIEWER, post

    for start, expected in ((0, 20), (100, 40)):
        post(client, HEADER + "".join(f"A00{start + n:03},N{n},Reno Police\n" for n in range(20)))
        assert client.get(LIST, {"search": "reno"}, headers=VIEWER).json["count"] == expected


def test_an_import_makes_entries_searchable_that_the_version_before_has_written(runtime):
    do_import(runtime, "ADF7C8,N1,Fresno Police\nA00002,N2,Reno Police\n")
    with writing(runtime.sessions) as db:
        db.execute(sa.update(KnownAircraft).values(search_text="", military=False))
    assert do_import(runtime, "ADF7C8,N1,Fresno Police\nA00002,N2,Reno Police\n").updated == 2
    with runtime.sessions() as db:
        columns = sa.select(KnownAircraft.search_text, KnownAircraft.military).order_by(KnownAircraft.icao_hex)
        assert db.execute(columns).all() == [
            ("a00002\nn2\nreno police", False),
            ("adf7c8\nn1\nfresno police", True),
        ]


def test_what_the_version_before_writes_is_hidden_at_once_and_found_once_the_tracker_has_seen_it(client, runtime):
    from tests.functional.cannonball.test_import import LIST, VIEWER

    do_import(runtime, "ADF7C8,N1,Fresno Police\nA00002,N2,Reno Police\n")
    with writing(runtime.sessions) as db:
        db.execute(sa.update(KnownAircraft).values(search_text="", military=False, agency_name="Elko Police"))
    shown = [entry["icao_hex"] for entry in client.get(LIST, headers=VIEWER).json["aircraft"]]
    assert shown == ["A00002"]
    service.repair_derived(runtime.sessions, -1)
    found = client.get(LIST, {"search": "elko"}, headers=VIEWER).json["aircraft"]
    assert [entry["icao_hex"] for entry in found] == ["A00002"]
    with runtime.sessions() as db:
        columns = sa.select(KnownAircraft.search_text, KnownAircraft.military).order_by(KnownAircraft.icao_hex)
        assert db.execute(columns).all() == [
            ("a00002\nn2\nelko police", False),
            ("adf7c8\nn1\nelko police", True),
        ]
