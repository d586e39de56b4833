"""Clients that others' generators make from our document, in Python and TypeScript, against a running service."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT
from tests.node_packages import NODE, installed
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

PASSWORD = "seven zebras cross the Limmat"
PROGRAM = Path(__file__).with_name("generated_client.ts")
TYPED = "openapi-typescript@7 openapi-fetch@0.17 typescript@5"
# What is generated and what uses it is checked, the declarations of the browser and of the libraries are not.
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--skipLibCheck"]
STRICT += ["--target", "es2022", "--lib", "es2022,dom,dom.iterable"]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    settings = {"receiver__demo": "simulate aircraft=30", "station_lat": 47.45, "station_lon": 8.56}
    service = Service(folder, auth_mode="hybrid", history_flush_s=1, **settings).init()
    service.add_user("ada", "superadmin", PASSWORD)
    service.start(wait=False)
    try:
        until(lambda: service.answers("/api/v1/system/health"), "the tracker's first picture")
        yield service
    finally:
        service.stop()


@pytest.fixture(scope="module")
def sky(running, tmp_path_factory):
    """The generated package, with its operations as attributes of the groups they are in."""
    folder = tmp_path_factory.mktemp("generated")
    url = f"http://127.0.0.1:{running.port}/api/v1/openapi.json"
    (folder / "config.yml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--url", url, "--meta", "none"]
    command += ["--output-path", str(folder / "sky_client"), "--config", str(folder / "config.yml")]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    sys.path.insert(0, str(folder))
    try:
        yield SimpleNamespace(
            output=made.stdout + made.stderr,
            call=lambda path: importlib.import_module(f"sky_client.api.{path}"),
            models=importlib.import_module("sky_client.models"),
            client=importlib.import_module("sky_client.client"),
        )
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == "sky_client"]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def client(sky, running):
    base = f"http://127.0.0.1:{running.port}"
    with sky.client.Client(base_url=base) as anonymous:
        credentials = sky.models.Credentials(username="ada", password=PASSWORD)
        answer = sky.call("auth.log_in").sync(client=anonymous, body=credentials)
    with sky.client.AuthenticatedClient(base_url=base, token=answer.access) as client:
        yield client


def test_it_leaves_out_nothing_but_what_is_no_json(sky):
    left_out = [line for line in sky.output.splitlines() if "WARNING parsing" in line]
    # Streams, recordings and YAML are read with any HTTP library; the others take lines of text in addition to JSON.
    assert {line.split()[3] for line in left_out} <= {
        "/api/v1/asyncapi.yaml",
        "/api/v1/history/replay",
        "/api/v1/history/stats/export",
        "/data/aircraft.binCraft.zst",
        "/api/v1/audio/transmissions/{id}/file",
        "/api/v1/aircraft/map/region.pmtiles",
        "/api/v1/alerts/geofences/import/",
        "/api/v1/alerts/watchlists/{id}/import/",
        "/api/v1/cannonball/known-aircraft/import/",
        "/api/v1/routes/import",
    }


def test_it_lists_aircraft_and_reads_altitudes_and_the_ground(sky, client):
    list_aircraft = sky.call("aircraft.list_aircraft")
    answer = until(lambda: (a := list_aircraft.sync(client=client, limit=50)).aircraft and a, "aircraft")
    altitudes = [one.alt_baro for one in answer.aircraft if isinstance(one.alt_baro, int | float)]
    assert altitudes
    assert max(altitudes) > 0
    chosen = [one.hex_ for one in answer.aircraft[:2]]
    assert {one.hex_ for one in list_aircraft.sync(client=client, hex_=chosen).aircraft} <= set(chosen)
    ground = sky.models.Aircraft.from_dict({"hex": "4b1620", "alt_baro": "ground"})
    assert ground.alt_baro == "ground"
    detail = until(lambda: sky.call("aircraft.get_aircraft").sync(chosen[0], client=client))
    assert detail.hex_ == chosen[0] or detail.code == "aircraft_not_found"


def test_it_creates_a_key_and_uses_it(sky, client, running):
    body = sky.models.KeyCreate(name="generated", scopes=[sky.models.KeyCreateScopesItem("aircraft")])
    created = sky.call("api_keys.create_api_key").sync(client=client, body=body)
    with sky.client.AuthenticatedClient(
        base_url=f"http://127.0.0.1:{running.port}", token=created.key, prefix="", auth_header_name="X-API-Key"
    ) as by_key:
        assert sky.call("aircraft.get_aircraft_stats").sync_detailed(client=by_key).status_code == 200
    keys = sky.call("api_keys.list_api_keys").sync(client=client)
    assert created.id in {key.id for key in keys.api_keys}
    assert sky.call("api_keys.delete_api_key").sync_detailed(created.id, client=client).status_code == 204


def test_it_pages(sky, client):
    list_permissions = sky.call("users.list_users")
    page = list_permissions.sync(client=client, limit=1, offset=0)
    assert (len(page.users), page.count) == (1, 1)
    assert list_permissions.sync(client=client, limit=1, offset=1).users == []


def test_it_streams_a_replay(sky, client):
    def frames():
        now = datetime.now(UTC)
        query = {"from": (now - timedelta(seconds=30)).isoformat(), "to": now.isoformat(), "step_s": 5}
        with client.get_httpx_client().stream("GET", "/api/v1/history/replay", params=query) as answer:
            assert answer.status_code == 200, answer.read()
            return [frame for frame in map(json.loads, answer.iter_lines()) if frame.get("aircraft")]

    assert until(frames, "stored positions")


def test_typescript_compiles_strictly_and_does_the_same(running, tmp_path):
    modules = installed(TYPED, ROOT / "build" / "typed-client") / "node_modules"
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}')
    shutil.copy(PROGRAM, tmp_path / "client.ts")
    base = f"http://127.0.0.1:{running.port}"

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(NODE, str(modules / ".bin" / "openapi-typescript"), f"{base}/api/v1/openapi.json", "-o", "schema.ts")
    resolution = ["--module", "nodenext", "--moduleResolution", "nodenext", "--outDir", "out"]
    run(NODE, str(modules / ".bin" / "tsc"), *STRICT, *resolution, "client.ts")
    said = dict(json.loads(line) for line in run(NODE, "out/client.js", base, "ada", PASSWORD).splitlines())
    assert max(height for height in said["heights"] if height is not None) > 0
    wanted, chosen = said["chosen"]
    assert chosen
    assert set(chosen) <= set(wanted)
    assert (said["by key"], said["beyond its scope"], said["deleted"]) == (200, "scope_denied", 204)
    assert said["pages"] == [[1, ["ada"]], [1, []]]
    assert said["replayed"] is True
