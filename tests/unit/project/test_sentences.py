"""What the service says: every sentence of the sources has its translations, and nothing else is said to people."""

from __future__ import annotations

import ast
import json

import pytest

from skywatch.console.texts.catalogue import LANGUAGES, SENTENCES, SHARED, Catalogue
from skywatch.core.problems import KINDS, title_of
from skywatch.features import FEATURES
from skywatch.safety.detection.emergency import SQUAWKS, STATES
from skywatch.sentences import PLACEHOLDER, Sentence, encodable, reworded, sentence, worded
from tests.conftest import ROOT

TRANSLATED = json.loads(SENTENCES.read_text(encoding="utf-8"))
# Faults of fields have texts of their own in every language.
FIELDS = {code for code in json.loads(SHARED.read_text(encoding="utf-8")) if code.startswith("field.")}
TITLES = [title_of(kind) for kind in (*KINDS.values(), *FEATURES.problems.values())]
# Texts that are an argument of these reach people.
TOLD = {"Problem": 1, "not_found": 0, "invalid": 1, "Invalid": 1, "Check": 3}


@pytest.fixture(scope="module")
def calls():
    """Every call of the sources that makes a sentence or tells a text, with its place."""
    names = {"sentence", *TOLD}
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node)
        for path in sorted((ROOT / "skywatch").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and name_of(node) in names
    ]


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


@pytest.fixture(scope="module")
def said(calls):
    """Code, English text and names of the parameters of each sentence in the sources."""
    return [
        (ast.literal_eval(call.args[0]), ast.literal_eval(call.args[1]), {value.arg for value in call.keywords})
        for _, call in calls
        if name_of(call) == "sentence" and isinstance(call.func, ast.Name) and isinstance(call.args[0], ast.Constant)
    ]


def test_every_sentence_is_translated_and_its_english_is_that_of_the_sources(said):
    english = {code: text for code, text, _ in said if code not in FIELDS}
    english |= {title.code: title.text for title in TITLES}
    assert {code: forms[0] for code, forms in TRANSLATED.items()} == english


def test_a_code_has_one_english_text(said):
    texts: dict[str, set[str]] = {}
    for code, text, _ in said:
        texts.setdefault(code, set()).add(text)
    assert {code: found for code, found in texts.items() if len(found) > 1 and code not in FIELDS} == {}


def test_a_sentence_is_given_its_parameters(said):
    for code, text, names in said:
        # ``**pair`` has names that are not seen here.
        assert {name for name, _ in PLACEHOLDER.findall(text)} <= names or None in names, code


def test_every_language_has_the_same_parameters():
    for code, forms in TRANSLATED.items():
        assert len(forms) == len(LANGUAGES), code
        assert all(form.strip() for form in forms), code
        assert len({frozenset(PLACEHOLDER.findall(form)) for form in forms}) == 1, code
        assert len({form.count("|") for form in forms}) == 1, code


def test_no_text_without_a_code_is_told(calls):
    plain = [
        place
        for place, call in calls
        if len(call.args) > TOLD.get(name_of(call), len(call.args))
        for text in [call.args[TOLD[name_of(call)]]]
        if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and isinstance(text.value, str))
    ]
    assert plain == []


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_is_worded_in_each_language(said, language):
    catalogue = Catalogue(language)
    for code, text, _ in said:
        values = {name: 2.5 if form else 2 for name, form in PLACEHOLDER.findall(text)}
        one = sentence(code, text, **values)
        worded_text = catalogue.sentence(one)
        assert "{" not in worded_text, code
        if code in FIELDS or TRANSLATED[code][0] != TRANSLATED[code][LANGUAGES.index(language)]:
            assert worded_text != one.text, code
    for one in [*TITLES, *(label for label, _ in (*SQUAWKS.values(), *STATES.values()))]:
        assert catalogue.sentence(one) == TRANSLATED[one.code][LANGUAGES.index(language)]


def test_a_sentence_goes_over_the_wire_and_back():
    inner = sentence("doubt.unconfirmed", "not confirmed by our receivers")
    one = sentence("safety.doubted", "{message} ({words})", message="a", words=inner)
    document = json.loads(json.dumps(worded("detail", one)))
    assert document["detail"] == "a (not confirmed by our receivers)"
    again = reworded(document["detail"], document["detail_code"], document["detail_params"])
    assert isinstance(again, Sentence)
    assert (again, again.code, encodable(again.params)) == (one, one.code, encodable(one.params))
    assert worded("detail", "plain") == {"detail": "plain"}


def test_an_exception_keeps_its_sentence():
    error = ValueError(sentence("field.whole", "must be a whole number"))
    assert str(error).code == "field.whole"
    assert type(sentence("field.whole", "must be a whole number").text) is str
