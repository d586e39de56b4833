"""The official client of the Model Context Protocol against a running service: over HTTP, and by the command."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial

import httpx
import pytest

from skywatch.mcp.tools import MAX_ANSWER_BYTES, TOOLS
from tests.processes import ENVIRONMENT, Service
from tests.servers import module
from tests.waiting import PATIENCE_S, until

mcp = module("mcp")
PASSWORD = "seven zebras cross the Limmat"
PING = '{"jsonrpc": "2.0", "id": "a", "method": "ping"}'


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    settings = {"receiver__demo": "simulate aircraft=30", "station_lat": 47.45, "station_lon": 8.56}
    service = Service(tmp_path_factory.mktemp("service"), auth_mode="hybrid", mcp_enabled="true", **settings).init()
    service.add_user("ada", "superadmin", PASSWORD)
    service.start(wait=False)
    until(lambda: "REST API" in service.log.read_text())
    yield service
    service.stop()


@pytest.fixture(scope="module")
def base(service):
    return f"http://127.0.0.1:{service.port}"


@pytest.fixture(scope="module")
def key(base):
    post = partial(httpx.post, timeout=PATIENCE_S)
    login = post(f"{base}/api/v1/auth/login", json={"username": "ada", "password": PASSWORD}).json()
    body = {"name": "assistant", "scopes": ["aircraft", "history"]}
    made = post(f"{base}/api/v1/api-keys", json=body, headers={"Authorization": f"Bearer {login['access']}"})
    return made.json()["key"]


def over_stdio(base, key, tmp_path):
    (tmp_path / "key").write_text(f"{key}\n")
    arguments = ["-m", "skywatch", "mcp", base, "--credential-file", str(tmp_path / "key")]
    return mcp.StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT)


def over_http(base, key, tmp_path):
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    http = httpx2.AsyncClient(headers={"X-API-Key": key}, timeout=PATIENCE_S)
    return streamable_http_client(f"{base}/mcp", http_client=http)


@pytest.mark.deep("a service and a client of its own")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("way", [over_http, over_stdio])
def test_the_official_client_asks_and_is_answered(base, key, tmp_path, way, mode):
    async def ask():
        async with mcp.Client(way(base, key, tmp_path), mode=mode, read_timeout_seconds=PATIENCE_S) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            # A key reaches what its scopes are for.
            assert [name for name in TOOLS if "aircraft" in name and name not in listed] == []
            assert not {"list_alerts", "list_acars_messages"} & set(listed)
            answers = await asyncio.gather(
                *(client.call_tool("list_aircraft", {"limit": limit}) for limit in range(1, 9)),
                client.call_tool("list_alerts", {}),
                client.call_tool("get_aircraft", {"icao_hex": "zürich"}),
            )
            units = await client.read_resource("skywatch://units")
            with pytest.raises(mcp.MCPError, match="no such tool"):
                await client.call_tool("nonsense", {})
            return answers, units.contents[0].text

    def aircraft_come():
        (*pages, denied, wrong), units = asyncio.run(ask())
        texts = [page.content[0].text for page in pages]
        assert all(len(text) <= MAX_ANSWER_BYTES for text in texts)
        assert "nautical" in units
        assert denied.is_error
        assert json.loads(denied.content[0].text)["code"] == "scope_denied"
        assert wrong.is_error
        # The first tick may come between two of them.
        if any(page.is_error for page in pages):
            return False
        return [len(json.loads(text)["data"]["aircraft"]) for text in texts] == list(range(1, 9))

    until(aircraft_come)


@pytest.mark.deep("a service of its own")
def test_the_command_answers_whatever_goes_wrong(base, key, tmp_path):
    def answers(*lines, url=base, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "skywatch", "mcp", url],
            input="\n".join(lines),
            env={**ENVIRONMENT, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert key not in done.stdout + done.stderr
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    done, _ = answers(PING)
    assert (done.returncode, "SKYWATCH_API_KEY" in done.stderr) == (1, True)
    notification = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    _, found = answers("", PING, "[", "[1]", notification, '{"id": 1}', SKYWATCH_API_KEY=key)
    by_id = {answer["id"]: answer for answer in found if answer["id"] is not None}
    assert by_id["a"]["result"] == {}
    assert "400" in by_id[1]["error"]["message"]
    assert sorted(answer["error"]["code"] for answer in found if answer["id"] is None) == [-32700, -32600]
    _, (refused,) = answers(PING, SKYWATCH_TOKEN="no.such.token")
    assert "401" in refused["error"]["message"]
    _, (away,) = answers(PING, url="http://127.0.0.1:9", SKYWATCH_API_KEY=key)
    assert "cannot be asked" in away["error"]["message"]
