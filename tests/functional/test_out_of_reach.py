"""What is answered while the database cannot be reached."""

import shutil

import pytest

from tests.accounts import Population
from tests.waiting import until


@pytest.fixture
def api(make_client, tmp_path):
    client = make_client(auth_mode="hybrid")
    people = Population(client.runtime)
    client.headers = people.bearer(people.user("ada", "viewer"))
    client.get("/api/v1/auth/profile", headers=client.headers)
    # The folder goes, and with it every file that a connection could be opened on.
    client.runtime.engine.dispose()
    for path in tmp_path.glob("skywatch.sqlite*"):
        path.unlink()
    (tmp_path / "skywatch.sqlite").mkdir()
    yield client
    shutil.rmtree(tmp_path / "skywatch.sqlite")


def test_the_service_is_alive_but_believes_nothing_old(api):
    assert api.get("/api/v1/system/health?probe=live").json["live"] is True
    until(lambda: api.get("/api/v1/aircraft", headers=api.headers, status="*").status_int == 503)
    for headers in ({}, api.headers):
        refused = api.get("/api/v1/aircraft", headers=headers, status=503)
        assert refused.json["code"] == "unavailable"
        assert "Retry-After" in refused.headers
        assert "sqlite" not in refused.text.lower()
