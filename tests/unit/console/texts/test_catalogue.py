"""The catalogue of the console: whole, used, and the same in each language."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter

import pytest

from skywatch.console.texts.catalogue import LANGUAGES, SHARED, Catalogue, page_files
from skywatch.console.texts.numbers import write_number, write_size
from skywatch.console.views.people.access import LABELS as LEVELS
from skywatch.console.views.receivers.station import LABELS
from skywatch.console.views.service.settings import TITLES
from skywatch.console.views.service.thresholds import SUBJECTS
from skywatch.core.problems import KINDS
from skywatch.features import FEATURES as INSTALLED
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.security.permissions import DEFAULT_ROLES, FEATURES, Permission
from skywatch.sentences import PLACEHOLDER, sentence
from skywatch.settings import Settings
from tests.conftest import ROOT
from tests.console_texts import texts_of_modules, texts_of_templates, untranslated

SHARED_TEXTS = json.loads(SHARED.read_text(encoding="utf-8"))
ROOMS = {path.name.removesuffix(".json"): json.loads(path.read_text(encoding="utf-8")) for path in page_files()}
ROWS = [row for rows in ROOMS.values() for row in rows]
# What the rooms below say: found in their sources, not in calls.
OF_OTHERS = ("words", "thresholds", "settings", "parts", "descriptions")
THRESHOLDS = [field.metadata["meaning"] for field in dataclasses.fields(Thresholds)]


@pytest.fixture(scope="module")
def used():
    return [(text, names) for text, names in [*texts_of_templates(), *texts_of_modules()] if text]


def test_every_text_is_in_the_catalogue(used):
    german = Catalogue("de")
    assert sorted({text for text, _ in used if not german.has(text)}) == []


def test_no_template_has_a_text_outside_the_catalogue():
    assert list(untranslated()) == []


def test_every_text_of_a_page_is_used(used):
    texts = {text for text, _ in used} | set(LABELS.values())
    assert [
        row[0] for room, rows in ROOMS.items() if room not in OF_OTHERS for row in rows if row[0] not in texts
    ] == []


def test_every_description_of_the_rooms_below_is_still_there():
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "skywatch").rglob("*.py")
        if "console/texts" not in path.as_posix()
    )
    # Texts may go over several lines of a source.
    sources = re.sub(r'"\s*\n\s*f?"', "", sources)
    for row in [*ROOMS["thresholds"], *ROOMS.get("settings", [])]:
        assert row[0] in sources, f"nothing says {row[0]!r} any more"


def test_every_row_has_all_languages_with_the_same_placeholders_and_elements():
    for row in ROWS:
        assert len(row) == len(LANGUAGES), row
        assert all(text.strip() for text in row), row
        for kind in (PLACEHOLDER, re.compile(r"</?\w+>|&\w+;")):
            assert len({tuple(sorted(set(kind.findall(text)))) for text in row}) == 1, row[0]
        if "|" in row[0]:
            assert all(text.count("|") <= 1 for text in row), row[0]


def test_no_text_stands_twice():
    # Errors and fields are found by their keys.
    keyed = [forms[0] for key, forms in SHARED_TEXTS.items() if not key.startswith(("error.", "field."))]
    counts = Counter([row[0] for row in ROWS] + keyed)
    assert [text for text, count in counts.items() if count > 1] == []


def test_the_values_of_a_text_are_given(used):
    for text, names in used:
        assert {name for name, _ in PLACEHOLDER.findall(text)} <= names, text


def test_what_the_pages_show_of_other_rooms_is_translated():
    german = Catalogue("de")
    words = [
        *(permission.meaning for permission in Permission),
        *(role.display_name for role in DEFAULT_ROLES),
        *(role.description for role in DEFAULT_ROLES),
        *(meaning.meaning for meaning in THRESHOLDS),
        *(
            SUBJECTS.get(name.partition("_")[0], f"the subject of {name}")
            for name in [field.name for field in dataclasses.fields(Thresholds)]
        ),
        *(feature for feature in FEATURES if feature not in ("acars", "cannonball")),
        *(
            kind.title
            for kind in (*KINDS.values(), *INSTALLED.problems.values())
            if f"error.{kind.code}" in SHARED_TEXTS and not kind.code.startswith("sso_")
        ),
    ]
    assert [word for word in words if not german.has(word)] == []


def test_every_setting_has_its_sentence_in_each_language():
    kinds = [Settings, *(feature.settings for feature in INSTALLED if feature.settings is not None)]
    meanings = {f.metadata["meaning"] for kind in kinds for f in dataclasses.fields(kind) if "meaning" in f.metadata}
    assert len(meanings) > 150
    for language in LANGUAGES[1:]:
        catalogue = Catalogue(language)
        assert sorted(meaning for meaning in meanings if not catalogue.has(meaning)) == []
        assert [title for title in [*TITLES.values(), *LEVELS.values()] if not catalogue.has(title)] == []


PICTURE_OLD = sentence("health.picture_old", "the last picture is {age} s old", age=12)
DOUBTED = sentence(
    "safety.doubted",
    "{message} ({words})",
    message=sentence("safety.leap", "{name} leaps by {distance} nm", name="SWR1", distance=1200),
    words=sentence("doubt.unconfirmed", "not confirmed by our receivers"),
)


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (PICTURE_OLD, "das letzte Bild ist 12 s alt"),
        (DOUBTED, "SWR1 springt um 1.200 nm (von unseren Empfängern nicht bestätigt)"),
        (sentence("of.a.later.version", "what nobody has translated"), "what nobody has translated"),
        ("what has no code", "what has no code"),
    ],
)
def test_a_sentence_of_the_service_is_worded_from_its_code(english, german):
    assert Catalogue("de").sentence(english) == german
    assert Catalogue("en").sentence(english) == english


def test_a_field_has_the_same_faults_as_in_the_web_application():
    assert Catalogue("de").sentence(sentence("field.required", "Required")) == "fehlt"
    too_long = sentence("field.long", "Longer than maximum length {n}", n=1200)
    assert Catalogue("fr").sentence(too_long) == "est trop long\u00a0: au plus 1\u202f200 caractères"
    assert Catalogue("es").sentence(sentence("field.common", "is too common")) == "es demasiado común"


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["0 users", "1 user", "2,000 users"]),
        ("de", ["0 Benutzer", "1 Benutzer", "2.000 Benutzer"]),
        ("fr", ["0 utilisateur", "1 utilisateur", "2\u202f000 utilisateurs"]),
        ("es", ["0 usuarios", "1 usuario", "2000 usuarios"]),
    ],
)
def test_numbers_choose_the_form_and_are_written_as_the_language_does(language, texts):
    catalogue = Catalogue(language)
    assert [catalogue.text("{n} user|{n} users", n=count) for count in (0, 1, 2000)] == texts


def test_a_value_with_braces_or_a_bar_is_no_text():
    assert Catalogue("de").text("{name} is saved.", name="{name} | x") == "{name} | x ist gespeichert."


@pytest.mark.parametrize(
    ("language", "number", "size"),
    [
        ("en", "12,345.7", "1.5 GB"),
        ("de", "12.345,7", "1,5 GB"),
        ("fr", "12\u202f345,7", "1,5 Go"),
        ("es", "12.345,7", "1,5 GB"),
    ],
)
def test_numbers_and_sizes(language, number, size):
    assert write_number(12345.67, 1, language) == number
    assert write_size(1_500_000_000, language) == size
    assert write_size(999, "en") == "999 B"
