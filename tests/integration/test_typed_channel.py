"""The manual's clients on types that others' generators make of both documents: they connect, resume and read lists."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import msgspec
import pytest

from skywatch.client import Client
from tests.conftest import ROOT
from tests.integration.test_generated_client import STRICT, TYPED
from tests.node_packages import NODE, installed
from tests.processes import Service
from tests.relay import Relay
from tests.servers import module
from tests.waiting import PATIENCE_S, until

PARSER = "@asyncapi/parser@3"
PARSE = """
const { Parser } = require("@asyncapi/parser");
const text = require("fs").readFileSync("document.json", "utf8");
new Parser().parse(text).then(({ diagnostics }) => console.log(JSON.stringify(diagnostics)));
"""
HERE = Path(__file__).parent
SKYWATCH_JS = ROOT / "skywatch" / "realtime" / "static" / "skywatch.js"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    settings = {"receiver__demo": "simulate aircraft=30", "station_lat": 47.45, "station_lon": 8.56}
    service = Service(tmp_path_factory.mktemp("service"), **settings).init()
    service.start(wait=False)
    base = f"http://127.0.0.1:{service.port}"
    until(lambda: "REST API" in service.log.read_text())
    until(lambda: httpx.get(f"{base}/api/v1/aircraft", timeout=PATIENCE_S).json().get("aircraft"), "aircraft")
    yield service
    service.stop()


@pytest.fixture(scope="module")
def documents(service):
    base = f"http://127.0.0.1:{service.port}/api/v1"
    return {kind: httpx.get(f"{base}/{kind}.json", timeout=PATIENCE_S).json() for kind in ("openapi", "asyncapi")}


@pytest.fixture
def relay(service):
    relay = Relay(("127.0.0.1", service.realtime_port))
    yield relay
    relay.close()


@pytest.fixture(scope="module")
def types(documents, tmp_path_factory):
    """The modules that datamodel-code-generator makes of the two documents."""
    module("datamodel_code_generator")
    folder = tmp_path_factory.mktemp("typed")
    for kind, document in documents.items():
        source = folder / f"{kind}.json"
        source.write_text(json.dumps(document))
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--input-file-type", kind]
        command += ["--output-model-type", "msgspec.Struct", "--formatters", "builtin"]
        command += ["--output", str(folder / f"typed_{kind}.py")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(folder))
    try:
        yield tuple(importlib.import_module(f"typed_{kind}") for kind in documents)
    finally:
        sys.path.remove(str(folder))
        for kind in documents:
            sys.modules.pop(f"typed_{kind}", None)


@pytest.mark.deep("a service and a generator of its own")
def test_the_client_in_python_reads_typed_events_and_lists(service, types, relay):
    rest, channel = types
    kinds = {"aircraft:snapshot": channel.AircraftSnapshot, "aircraft:update": channel.AircraftUpdate}

    async def listen():
        client, seen, cut_at = Client(f"ws://127.0.0.1:{relay.port}/ws", ["aircraft"], first_pause_s=0.1), [], None
        async for event in client:
            data = msgspec.convert(event.data, kinds[event.event])
            seen.append((event.event, event.epoch, event.seq))
            assert all(len(one.hex) in (6, 7) for one in data.aircraft)
            if len(seen) == 3:
                relay.cut()
                relay.mend()
                cut_at = client.connects
            if cut_at is not None and client.connects > cut_at and len(seen) > 5:
                return seen, client.lists["aircraft"].aircraft
        raise AssertionError

    seen, held = asyncio.run(asyncio.wait_for(listen(), 2 * PATIENCE_S))
    assert seen[0][0] == "aircraft:snapshot"
    assert len(set(seen)) == len(seen)
    assert {picture_of(epoch) for _, epoch, _ in seen} == {picture_of(seen[0][1])}
    answer = httpx.get(f"http://127.0.0.1:{service.port}/api/v1/aircraft", timeout=PATIENCE_S)
    listed = msgspec.json.decode(answer.content, type=rest.AircraftList)
    assert {one.hex for one in listed.aircraft} & set(held)


def picture_of(epoch):
    """An epoch without what marks a time in which the tracker is silent, as that of a busy machine may be."""
    tracker, _, server = epoch.partition(".")
    return *tracker.split("-")[:2], server


@pytest.mark.deep("a service and a compiler of its own")
def test_the_client_for_pages_compiles_strictly_and_resumes(service, documents, relay, tmp_path):
    modules = installed(TYPED, ROOT / "build" / "typed-client") / "node_modules"
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}')
    shutil.copy(HERE / "typed_channel.ts", tmp_path / "program.ts")
    shutil.copy(HERE / "typed_channel.d.ts", tmp_path / "skywatch.d.ts")
    # The generator reads OpenAPI: the schemas of the messages in the frame of such a document.
    messages = documents["asyncapi"]["components"]["messages"]
    payloads = {key: message["payload"] for key, message in messages.items() if key.startswith("native.")}
    schemas = documents["asyncapi"]["components"]["schemas"] | payloads
    frame = {"openapi": "3.1.0", "info": documents["asyncapi"]["info"], "paths": {}, "components": {"schemas": schemas}}
    for name, document in (("rest", documents["openapi"]), ("channel", frame)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
        run(tmp_path, NODE, str(modules / ".bin" / "openapi-typescript"), f"{name}.json", "-o", f"{name}.d.ts")
    resolution = ["--module", "nodenext", "--moduleResolution", "nodenext", "--outDir", "out"]
    run(tmp_path, NODE, str(modules / ".bin" / "tsc"), *STRICT, *resolution, "program.ts")
    shutil.copy(SKYWATCH_JS, tmp_path / "out" / "skywatch.js")
    addresses = [f"http://127.0.0.1:{service.port}", f"ws://127.0.0.1:{relay.port}/ws"]
    process = subprocess.Popen([NODE, "out/program.js", *addresses], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    said = []
    try:
        for line in process.stdout:
            said.append(json.loads(line))
            if [kind for kind, _ in said].count("update") == 2 and ["open", 2] not in said:
                relay.cut()
                relay.mend()
    finally:
        process.kill()
        process.wait()
    kinds = [kind for kind, _ in said]
    assert max(height or 0 for height in dict(said)["snapshot"]) > 0
    again = said.index(["open", 2])
    # It goes on where it stopped: no snapshot a second time, and each update follows the one before.
    assert kinds.count("snapshot") == 1
    assert "update" in kinds[again:]
    updates = [value for kind, value in said if kind == "update"]
    assert all(since == before[0] for before, (_, since, _) in itertools.pairwise(updates))
    assert set(dict(said)["listed"]) & set(dict(said)["held"])


@pytest.mark.deep("a parser of its own")
def test_the_parser_of_asyncapi_has_nothing_to_say(documents, tmp_path):
    modules = installed(PARSER, ROOT / "build" / "asyncapi-parser") / "node_modules"
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "document.json").write_text(json.dumps(documents["asyncapi"]))
    (tmp_path / "parse.cjs").write_text(PARSE)
    diagnostics = json.loads(run(tmp_path, NODE, "parse.cjs"))
    assert [(one["code"], one["message"], one["path"]) for one in diagnostics] == []


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
