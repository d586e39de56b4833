"""Application and console word faults of fields by their codes; here the service really names these."""

import pytest
from webtest import TestApp

from tests.app_templates import make_app


@pytest.fixture
def api(make_runtime):
    return TestApp(make_app(make_runtime(auth_mode="public")))


def code_of(answer):
    """The code of the first fault of an answer."""
    error = answer.json["errors"][0]
    assert error["detail"]
    assert isinstance(error["detail_params"], dict)
    return error["detail_code"]


@pytest.mark.parametrize(
    ("query", "code"),
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
def test_faults_of_queries_have_a_code(api, query, code):
    assert code_of(api.get(f"/api/v1/{query}", status=400)) == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"password": "x"}, "field.required"),
        ({"username": 1, "password": "x"}, "field.text"),
        ({"username": "a\u0001", "password": "x"}, "field.control"),
    ],
)
def test_faults_of_bodies_have_a_code(api, body, code):
    assert code_of(api.post_json("/api/v1/auth/login", body, status=400)) == code
