"""The texts of the web application: complete in each language, and each feature's its own."""

from __future__ import annotations

import re

import pytest

from skywatch.core.problems import KINDS
from skywatch.features import FEATURES
from tests.web_texts import LANGUAGES, WEB, all_texts, text_files, texts_of

CODES = {*KINDS, *FEATURES.problems}


def test_errors_that_the_web_application_words_itself_have_a_text_in_each_language():
    codes = {key.removeprefix("error."): forms for key, forms in all_texts().items() if key.startswith("error.")}
    assert codes
    assert set(codes) <= CODES, "a code that the service does not have"
    assert [code for code, forms in codes.items() if len(forms) != 4] == []


@pytest.mark.parametrize("path", text_files(), ids=lambda path: path.parent.name)
def test_every_text_is_there_in_each_language(path):
    texts = texts_of(path)
    assert texts
    lacking = [key for key, forms in texts.items() if len(forms) != len(LANGUAGES) or not all(forms)]
    assert lacking == []
    for key, forms in texts.items():
        placeholders = [set(re.findall(r"\{(\w+)\}", form)) for form in forms]
        assert all(names <= placeholders[0] for names in placeholders), f"{key}: a name that the English text lacks"


def test_numbers_stay_on_the_line_of_their_unit_and_french_marks_of_their_word():
    loose = re.compile(r"(?:\}|\d) (?:s|min|h|%)(?!\w)")
    french = re.compile(r" [:;!?»]|« ")
    for key, forms in all_texts().items():
        assert [form for form in forms if loose.search(form)] == [], key
        assert not french.search(forms[2]), key


def test_no_text_stands_in_two_files():
    keys = [key for path in text_files() for key in texts_of(path)]
    assert sorted(keys) == sorted(set(keys))


def test_a_text_of_a_feature_is_used_by_that_feature_alone():
    for path in text_files()[2:]:
        keys = set(texts_of(path))
        for source in WEB.rglob("*.ts"):
            if source.is_relative_to(path.parent):
                continue
            used = keys & set(re.findall(r'"([\w.]+)"', source.read_text(encoding="utf-8")))
            # A word such as "level" may be both a key and something else; a key of a feature has a point in it.
            assert not {key for key in used if "." in key}, (
                f"{source.relative_to(WEB)} uses texts of {path.parent.name}"
            )


def test_every_scope_of_an_api_key_and_every_page_has_a_name():
    texts = all_texts()
    for path in WEB.glob("features/*/feature.ts"):
        declaration = path.read_text(encoding="utf-8")
        if "hasScope: true" in declaration:
            assert f"feature.{path.parent.name}" in texts
