"""The OpenAPI document against the service: an administrator, a viewer and nobody send what it allows and what not.

No 5xx (but 503, which the document names), no undocumented status or media type, no response that breaks its schema.
The number of examples is small by day and larger in the night; ``SCHEMATHESIS_EXAMPLES`` sets both.
"""

from __future__ import annotations

import os

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.accounts import Population

pytestmark = pytest.mark.deep("walks a whole table")

FEW, MANY = (int(os.environ.get("SCHEMATHESIS_EXAMPLES", default)) for default in ("2", "15"))
MORE = pytest.mark.nightly("more examples of the same operations")
SEED = 20260131
# To make up examples takes longer than the service does to answer them: all callers send the same ones.
CALLERS = ("nobody", "viewer", "superadmin")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture
def api(make_client):
    client = make_client(auth_mode="hybrid", station_lat="47.45", station_lon="8.56")
    client.people = Population(client.runtime)
    return client


def headers_of(api, caller):
    """A caller whose own doings (logout, a new password) do not end the caller."""
    # The client under test does not unpack what it asked to be packed.
    plain = {"Accept-Encoding": "identity"}
    if caller == "nobody":
        return plain
    return plain | api.people.bearer(api.people.user(f"{caller}_{os.urandom(4).hex()}", caller))


def closing(app):
    """The application with each answer read and closed, as a server does: a stream left open keeps its place."""

    def answer(environ, start_response):
        body = app(environ, start_response)
        try:
            return [b"".join(body)]
        finally:
            if hasattr(body, "close"):
                body.close()

    return answer


def try_operation(operation, callers, examples):
    """Send examples of what an operation takes as each caller, and hold each answer against the document."""

    @hypothesis.seed(SEED)
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy())
    def hold(case):
        for headers in callers:
            response = case.call(headers=headers)
            # Not available for the moment is an answer; every other 5xx is a fault.
            checks = CHECKS[1:] if response.status_code == 503 else CHECKS
            case.validate_response(response, checks=checks)

    hold()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=MORE)], ids=["few", "many"])
def test_the_service_keeps_to_its_document(api, examples):
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", closing(api.app))
    faults: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        try:
            try_operation(operation, [headers_of(api, caller) for caller in CALLERS], examples)
        except (Failure, FailureGroup) as failure:
            faults.append(f"{operation.label}: {_told(failure)}")
    assert faults == [], "\n".join(faults)


def _told(failure) -> str:
    parts = getattr(failure, "exceptions", [failure])
    return "; ".join(f"{type(part).__name__}: {str(part)[:500]}" for part in parts)
