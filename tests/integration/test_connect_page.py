"""The programs of docs/connect.md, run as they stand against a service (only host and ports are replaced)."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import jinja2
import pytest

from tests.chromium import chromium
from tests.conftest import ROOT
from tests.node_packages import NODE, installed
from tests.processes import Service
from tests.servers import browser_programs
from tests.waiting import PATIENCE_S, until

PAGE = (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")
PASSWORD = "seven zebras cross the Limmat"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    settings = {"receiver__demo": "simulate aircraft=30", "station_lat": 47.45, "station_lon": 8.56}
    running = Service(folder, auth_mode="hybrid", **settings).init()
    running.add_user("ada", "operator", PASSWORD)
    running.start(wait=False)
    until(lambda: "REST API" in running.log.read_text())
    yield running
    running.stop()


@pytest.fixture(scope="module")
def key(service):
    """An API key, made as the page says."""
    base = f"http://127.0.0.1:{service.port}/api/v1/auth"
    login = httpx.post(f"{base}/login", json={"username": "ada", "password": PASSWORD}, timeout=PATIENCE_S)
    [body] = re.findall(r"-d '(\{.*\})'", PAGE)
    headers = {"Authorization": f"Bearer {login.json()['access']}"}
    made = httpx.post(f"{base}/api-keys", json=json.loads(body), headers=headers, timeout=PATIENCE_S)
    assert made.status_code == 201, made.text
    return made.json()["key"]


def blocks(language: str, service: Service) -> list[str]:
    """The programs in a language, with the addresses of this service."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    places = {"localhost:6543": f"127.0.0.1:{service.port}", "localhost:6544": f"127.0.0.1:{service.realtime_port}"}
    for place, address in places.items():
        found = [block.replace(place, address) for block in found]
    return found


@contextmanager
def running(*command: str, folder: Path, key: str):
    """What a program has printed, as a function; one that has ended is started again."""
    environment = {**os.environ, "SKYWATCH_API_KEY": key, "PYTHONPATH": str(ROOT)}
    log = folder / "printed.txt"

    def start():
        with log.open("w") as output:
            return subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)

    process = start()

    def printed():
        nonlocal process
        # Its libraries wait for a service 5 s, which a busy one may need longer.
        if process.poll() is not None:
            process = start()
        return log.read_text()

    try:
        yield printed
    finally:
        process.kill()
        process.wait(PATIENCE_S)


@pytest.mark.parametrize("number", [0, 1], ids=["skywatch.client", "python-socketio"])
def test_python(service, key, tmp_path, number):
    program = tmp_path / "aircraft.py"
    program.write_text(blocks("python", service)[number])
    with running(sys.executable, str(program), folder=tmp_path, key=key) as printed:
        until(lambda: "aircraft:snapshot" in printed() and "aircraft:update" in printed(), "a snapshot and an update")


def test_python_with_tiles(service, key, tmp_path):
    program = tmp_path / "tiles.py"
    program.write_text(blocks("python", service)[2])
    with running(sys.executable, str(program), folder=tmp_path, key=key) as printed:
        until(
            lambda: re.search(r"^1:\d+:\d+ changed [1-9]\d* of [1-9]", printed(), re.MULTILINE), "a tile that changes"
        )
        first, _, _ = printed().partition(" changed ")
        # Rows of 45 to 47 degrees north, columns of 5 to 10 degrees east.
        assert first.count(" full ") == 3 * 6


def test_socket_io_client(service, key):
    folder = installed("socket.io-client@4", ROOT / "build" / "socket-io-client")
    program = folder / "aircraft.mjs"
    program.write_text(blocks("js", service)[0])
    with running(NODE, str(program), folder=folder, key=key) as printed:
        until(lambda: re.search(r"\d+ aircraft\n\d+ changed", printed()), "a snapshot and an update")


def test_a_page(service, key, tmp_path):
    binary, driver = browser_programs()
    (tmp_path / "index.html").write_text(blocks("html", service)[0])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with chromium(binary, driver) as browser:
                browser.open(f"http://127.0.0.1:{server.server_port}/#key={key}")
                until(lambda: browser.run("return document.querySelectorAll('#list li').length") >= 10, "ten aircraft")
        finally:
            server.shutdown()


def test_home_assistant(service, key):
    [text] = blocks("yaml", service)
    # What its REST integration does: fetch, and render each template with the answer.
    for part in text.split("  - resource: ")[1:]:
        url = part.splitlines()[0]
        answer = until(
            lambda url=url: (a := httpx.get(url, headers={"X-API-Key": key}, timeout=PATIENCE_S)).is_success and a
        )
        templates = re.findall(r'value_template: (?:"(.*?)"|>-\n +(.*?))\n', part)
        assert templates
        for template in templates:
            shown = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string("".join(template))
            assert shown.render(value_json=answer.json()) != ""


def test_node_red_flow_is_one_that_can_be_imported(service):
    flow = json.loads(blocks("json", service)[-1])
    ids = {node["id"] for node in flow}
    assert len(ids) == len(flow)
    wires = {target for node in flow for wire in node.get("wires", []) for target in wire}
    assert wires <= ids
    [source] = [node["func"] for node in flow if node["type"] == "function"]
    # The function sends connect and subscribe, in this order, when the WebSocket opens.
    program = (
        f"const run = new Function('msg', 'env', {json.dumps(source)});"
        "const env = { get: () => 'sk_1' };"
        "console.log(JSON.stringify([run({ status: { event: 'disconnect' } }, env),"
        " run({ status: { event: 'connect' } }, env)]));"
    )
    said = subprocess.run([NODE, "-e", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    [nothing, [messages]] = json.loads(said.stdout)
    assert nothing is None
    assert [json.loads(message["payload"]) for message in messages] == [
        {"type": "connect", "auth": {"token": "sk_1"}},
        {"type": "subscribe", "topics": ["aircraft"]},
    ]
