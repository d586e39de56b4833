"""Every column that may name an aircraft is hidden with it by the one place that is asked, or says here why not."""

import importlib
import importlib.util
import pkgutil
import re

import sqlalchemy as sa

import skywatch
from skywatch.airframes.military import CIVIL
from skywatch.core.database.engine import Base

NAMES = re.compile("icao|hex|callsign|registration|flight|aircraft")
DOCUMENTS = sa.JSON, sa.LargeBinary, sa.Text
SETTINGS = "what somebody has set, who knows it"
NO_AIRCRAFT = "names no aircraft"
# By table, or by column: why it need not declare which rows everybody may see (``Table.info``).
NEED_NOT = {
    "acars_files": NO_AIRCRAFT,
    "airframe_imports": NO_AIRCRAFT,
    "airframes": "read by airframes.service, which asks (Airframe.military)",
    "alert_geofences": SETTINGS,
    "alert_matches": "of the engine; maps show its marks on aircraft of the picture that a user sees anyway",
    "alert_rules": SETTINGS,
    "alert_subscriptions": SETTINGS,
    "alert_watchlists": SETTINGS,
    "api_keys": NO_AIRCRAFT,
    "audio_recordings": NO_AIRCRAFT,
    "audit_entries": "what administrators have done, for those who manage the service",
    "cannonball_known_removals": "for processes of the version before; nobody is shown it",
    "cannonball_session_patterns": "links two rows that are hidden themselves",
    "events": "asked when it is delivered (Audience.aircraft, realtime.topics)",
    "external_logins": NO_AIRCRAFT,
    "feeders": NO_AIRCRAFT,
    "first_days": "sums of a day, with military aircraft and without: " + NO_AIRCRAFT,
    "first_open_flights": "numbers of flights that the worker looks at again; nobody is shown it",
    "first_state": "of the worker that counts; nobody is shown it",
    "health_changes": "sentences about parts of the service: " + NO_AIRCRAFT,
    "history_chunks": "points are read through Span, which leaves them out (Span.hidden)",
    "history_flight_numbers": "a number: " + NO_AIRCRAFT,
    "history_tail": "points are read through Span, which leaves them out (Span.hidden)",
    "military_aircraft": "the one place itself",
    "notify_browsers": NO_AIRCRAFT,
    "notify_channels": NO_AIRCRAFT,
    "notify_keys": NO_AIRCRAFT,
    "notify_publishers": NO_AIRCRAFT,
    "overflight_editions": "counted again for who may not see them (overflights.editions)",
    "overflight_index": "up to which points are filed: " + NO_AIRCRAFT,
    "overflight_reports": SETTINGS,
    "overflight_tiles": "points are read by overflights.service, which leaves their flights out",
    "picture_state": "of the tracker, which restores its picture from it",
    "receiver_quality": "sums of a receiver: " + NO_AIRCRAFT,
    "roles": NO_AIRCRAFT,
    "route_table": "of callsigns, by an imported file: " + NO_AIRCRAFT,
    "safety_places": "sums of a place: " + NO_AIRCRAFT,
    "stored_settings": SETTINGS,
    "users": NO_AIRCRAFT,
}


def tables():
    for room in pkgutil.iter_modules(skywatch.__path__):
        if room.ispkg and importlib.util.find_spec(f"skywatch.{room.name}.models"):
            importlib.import_module(f"skywatch.{room.name}.models")
    return {name: table for name, table in Base.metadata.tables.items() if name in _migrated(table)}


def _migrated(table):
    # Tests of other modules may have made tables of their own.
    return {
        mapper.local_table.name for mapper in Base.registry.mappers if mapper.class_.__module__.startswith("skywatch.")
    }


def may_name_an_aircraft(column):
    kind = getattr(column.type, "impl", column.type)
    refers = any(CIVIL in key.column.table.info for key in column.foreign_keys)
    return bool(refers or NAMES.search(column.name) or NAMES.search(column.table.name) or isinstance(kind, DOCUMENTS))


def test_every_column_that_may_name_an_aircraft_is_hidden_with_it_or_says_why_not():
    about = {name: table for name, table in tables().items() if any(map(may_name_an_aircraft, table.c))}
    declared = {name for name, table in about.items() if CIVIL in table.info}
    assert about.keys() - declared - NEED_NOT.keys() == set()
    # Nothing is excused that is hidden, or that is not there.
    assert NEED_NOT.keys() & declared == set()
    assert NEED_NOT.keys() - about.keys() == set()


def test_what_is_declared_asks_of_an_aircraft_and_not_of_the_row_alone():
    declared = {name: table.info[CIVIL] for name, table in tables().items() if CIVIL in table.info}
    assert len(declared) == 16
    for name, condition in declared.items():
        assert "military_aircraft" in str(condition.compile(dialect=sa.create_engine("sqlite://").dialect)), name
