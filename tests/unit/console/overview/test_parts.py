"""Parts in the words of people, and advice on those that do not work; in every language."""

import dataclasses
import json
import re
from datetime import UTC, datetime, timedelta

from skywatch.console.overview.parts import (
    ADVICE,
    LABELS,
    NO_BACKUP,
    NO_RECEIVER,
    OLD_BACKUP,
    OTHER,
    SILENT,
    PartNames,
    describe_parts,
    find_concerns,
    find_old_backup,
    find_silent,
)
from skywatch.console.subjects import load_pages
from skywatch.console.texts.catalogue import Catalogue, page_files
from skywatch.console.views.entrance.search import DESCRIPTIONS
from skywatch.core.hooks import SimulatedRows, labels_of
from skywatch.features import FEATURES
from skywatch.sentences import sentence
from skywatch.system.health.checks import Check
from tests.conftest import ROOT

ENGLISH, GERMAN = Catalogue("en"), Catalogue("de")
LABELED = LABELS | labels_of(FEATURES)
IN_ENGLISH, IN_GERMAN = PartNames(ENGLISH, FEATURES), PartNames(GERMAN, FEATURES)
ADVISED = [*ADVICE.values(), NO_BACKUP, NO_RECEIVER, OLD_BACKUP, OTHER, SILENT]
# How parts of the service name themselves in health.
NAMES = (
    (re.compile(r'PeriodicTask\(\s*"([\w-]+)"'), ""),
    (re.compile(r'BackgroundWriter(?:\[.*?\])?\(\s*"(\w+)"', re.DOTALL), "_writer"),
    (re.compile(r'\b(?:COMPONENT|BUS_LINK|RETENTION) = "(\w+)"'), ""),
    (re.compile(r'\bCheck\("(\w+)"'), ""),
    (re.compile(r'health\.report\(\s*"(\w+)"'), ""),
)


def rows(room):
    (path,) = [path for path in page_files() if path.name == f"{room}.json"]
    return {row[0] for row in json.loads(path.read_text(encoding="utf-8"))}


def test_every_part_of_the_service_has_a_name_for_people():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "skywatch").rglob("*.py")]
    names = {match[1] + suffix for form, suffix in NAMES for source in sources for match in form.finditer(source)}
    assert names - set(LABELED) == set()
    assert {"retention", "history_writer", "tracker", "realtime"} <= names


def test_names_advice_and_descriptions_are_in_the_catalogue_and_nothing_else_is():
    said = {text for advice in ADVISED for text in (advice.title, advice.action)}
    assert [text for text in (*LABELED.values(), *said, *DESCRIPTIONS.values()) if not GERMAN.has(text)] == []
    removable = {hook.title for hook in FEATURES.provided(SimulatedRows)}
    assert rows("parts") <= {*LABELED.values(), *said, *removable, "No message for {span}."}
    assert rows("descriptions") == set(DESCRIPTIONS.values())


def test_advice_leads_to_pages_that_there_are():
    assert {advice.page for advice in ADVISED} <= {page.path for page in load_pages() if page.title}


def test_what_the_service_cannot_work_without_comes_first_and_each_part_once():
    checks = [
        Check("disk", False, False, "only 12 MB free"),
        Check("tracker", False, True, sentence("health.picture_old", "the last picture is {age} s old", age=42)),
        Check("deliveries", False, False, "a"),
        Check("deliveries", False, False, "b"),
        Check("database", True, True, "answers"),
    ]
    concerns = find_concerns(IN_ENGLISH, checks)
    assert [(one.state, one.title) for one in concerns] == [
        ("failing", "The live picture stands still."),
        ("degraded", "The disk is almost full."),
        ("degraded", "Notifications are not sent."),
    ]
    assert concerns[0].detail == "the last picture is 42 s old"
    german = find_concerns(IN_GERMAN, checks)
    assert (german[0].title, german[0].detail) == ("Das Live-Bild steht still.", "das letzte Bild ist 42 s alt")


def test_a_part_without_advice_of_its_own_is_named():
    (concern,) = find_concerns(IN_ENGLISH, [Check("history_writer", False, False, "its thread has ended")])
    assert concern.title == "Storage of flights: does not work as it should."
    assert IN_ENGLISH.label("something_new") == "something new"


def test_no_receiver_at_all_is_something_else_than_one_that_does_not_answer():
    (none,) = find_concerns(IN_ENGLISH, [Check("receivers", False, False, "none configured")])
    (down,) = find_concerns(IN_ENGLISH, [Check("receivers", False, False, "1 of 2 not connected: attic")])
    assert (none.title, down.title) == (NO_RECEIVER.title, ADVICE["receivers"].title)


def test_parts_keep_the_order_of_the_checks():
    parts = describe_parts(
        IN_GERMAN,
        [
            Check("disk", True, False, sentence("health.free", "{size:,} MB free", size=12)),
            Check("bus", False, True, "x"),
        ],
    )
    assert [dataclasses.astuple(part) for part in parts] == [
        ("disk", "Speicherplatz", "ok", "12 MB frei"),
        ("bus", "Verbindung der Prozesse", "failing", "x"),
    ]


def test_a_receiver_that_is_connected_and_brings_nothing_is_named():
    now = datetime(2026, 11, 24, tzinfo=UTC)
    receivers = [
        {"name": "roof", "state": "connected", "last_message_at": now - timedelta(seconds=3), "observed_s": 9000},
        {"name": "attic", "state": "connected", "last_message_at": now - timedelta(hours=2), "observed_s": 9000},
        {"name": "shed", "state": "connected", "last_message_at": None, "observed_s": 3600},
        {"name": "new", "state": "connected", "last_message_at": None, "observed_s": 50},
        {"name": "boat", "state": "waiting", "last_message_at": None, "observed_s": 9000},
    ]
    silent = find_silent(ENGLISH, receivers, now, 3600.0 * 3)
    assert [(one.title, one.detail) for one in silent] == [
        ("attic is connected, but silent.", "No message for 2 h."),
        ("shed is connected, but silent.", "No message for 1 h."),
    ]
    # Whoever has just begun to listen does not know yet.
    assert find_silent(ENGLISH, receivers, now, 60.0) == []


def test_a_backup_older_than_a_week_is_a_concern_and_none_at_all_after_the_first_week():
    now = datetime(2026, 6, 15, tzinfo=UTC)
    week, day = timedelta(days=7), timedelta(days=1)

    def titles(made_at, since):
        return [one.title for one in find_old_backup(ENGLISH, made_at, since, now)]

    assert titles(now - week, now - 9 * week) == []
    assert titles(now - week - day, None) == ["The last backup is older than a week."]
    assert titles(None, now - week) == titles(None, None) == []
    assert titles(None, now - week - day) == ["There is no backup."]
