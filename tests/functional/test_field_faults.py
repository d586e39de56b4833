"""Application and console know the sentences about fields by their form; here the service really says them so."""

import json
import re

import pytest
from webtest import TestApp

from tests.app_templates import make_app
from tests.conftest import ROOT

FORMS = json.loads((ROOT / "skywatch" / "console" / "texts" / "field_faults.json").read_text(encoding="utf-8"))


@pytest.fixture
def api(make_runtime):
    return TestApp(make_app(make_runtime(auth_mode="public")))


def form_of(answer):
    """The name of the form of the first fault of an answer."""
    detail = answer.json["errors"][0]["detail"]
    names = [name for name, form in FORMS.items() if re.search(form.replace("(?<", "(?P<"), detail)]
    assert len(names) == 1, f"{detail}: {names}"
    return names[0]


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("aircraft?limit=0", "field.least"),
        ("aircraft?limit=99999", "field.most"),
        ("aircraft?limit=x", "field.whole"),
        ("aircraft?lat=x", "field.number"),
        ("aircraft?military=maybe", "field.boolean"),
        ("aircraft?sort=size", "field.choice"),
        ("aircraft?nonsense=1", "field.unknown"),
        ("aircraft?limit=1&limit=2", "field.twice"),
        ("history/flights?from=yesterday", "field.time"),
        (f"acars/messages?q={'a' * 300}", "field.long"),
    ],
)
def test_faults_of_queries_have_a_form(api, query, form):
    assert form_of(api.get(f"/api/v1/{query}", status=400)) == form


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ({"password": "x"}, "field.required"),
        ({"username": 1, "password": "x"}, "field.text"),
        ({"username": "a\u0001", "password": "x"}, "field.control"),
    ],
)
def test_faults_of_bodies_have_a_form(api, body, form):
    assert form_of(api.post_json("/api/v1/auth/login", body, status=400)) == form
