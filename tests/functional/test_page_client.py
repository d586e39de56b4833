"""The client for web pages is served where pages can import it."""

from importlib.resources import files

import pytest

ADDRESS = "/api/v1/realtime/skywatch.js"
SITE = "https://radar.example.org"


@pytest.mark.parametrize("mode", ["public", "private"])
def test_pages_import_it_in_every_mode(make_client, mode):
    api = make_client(auth_mode=mode, cors_allowed_origins=SITE)
    answer = api.get(ADDRESS, headers={"Origin": SITE})
    assert answer.content_type == "text/javascript"
    assert answer.body == files("skywatch.realtime").joinpath("static/skywatch.js").read_bytes()
    # Modules of another origin are fetched with CORS.
    assert answer.headers["Access-Control-Allow-Origin"] == SITE
    assert "Access-Control-Allow-Origin" not in api.get(ADDRESS, headers={"Origin": "https://evil.example"}).headers
    api.get("/api/v1/realtime/nothing.js", status=404)
    api.get("/api/v1/realtime/../feature.py", status=404)
