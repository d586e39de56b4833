"""The main job as a user meets it: real processes, real sockets, real recordings."""

import json
import re
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from tests.feeds import FeedServer, beast_chunks
from tests.processes import Service, run_command
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def service(tmp_path):
    made = []

    def make(**settings):
        made.append(Service(tmp_path, **settings))
        return made[-1].init()

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def expected(shared_data):
    return json.loads((shared_data / "raw" / "EXPECTED.json").read_text())["ulss7_61s"]


@pytest.mark.smoke
def test_simulated_aircraft_are_there_after_the_start(service):
    running = service(receiver__demo="simulate aircraft=200", station_lat=47.45, station_lon=8.56)
    running.start()
    aircraft = until(lambda: (a := running.aircraft()) and len(a) >= 150 and a)
    assert sum("lat" in a for a in aircraft.values()) > 100
    moving = next(a for a, fields in aircraft.items() if fields.get("gs", 0) > 100 and "lat" in fields)
    point = until(lambda: running.get(f"/api/v1/aircraft/{moving}/trail")["trail"])[0]
    assert set(point) == {"at", "lat", "lon", "altitude_ft", "on_ground", "speed_kt", "track"}
    assert running.stop() == 0
    log = running.log.read_text()
    assert f"http://127.0.0.1:{running.port}/api/v1/aircraft" in log
    assert "Traceback" not in log


def test_the_start_names_addresses_that_mode_public_opens_in_one_line(service):
    running = service(listen="0.0.0.0:0", realtime_listen="127.0.0.1:0").start(wait=False)
    text = "auth_mode = public with listen = 0.0.0.0:0: whoever reaches this address needs no credentials"
    until(lambda: text in running.log.read_text())
    until(lambda: "Skywatch is running" in running.log.read_text())
    assert running.log.read_text().count("auth_mode") == 2  # in that line and in its advice
    assert running.stop() == 0


def test_the_doctor_recognizes_the_running_service(service):
    running = service(receiver__demo="simulate aircraft=20", station_lat=47.45, station_lon=8.56).start()
    output = run_command("doctor", str(running.ini)).stdout
    for setting, port in (("listen", running.port), ("realtime_listen", running.realtime_port)):
        assert f"warn   {setting}: port {port} is in use by a running Skywatch" in output


def test_what_is_on_its_way_to_a_client_still_arrives_when_the_service_stops(service):
    running = service().start()
    # More than lies on the way between two sockets, and little enough to be taken in time by a slow client.
    document, asked = running.get("/api/v1/openapi.json"), 40
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE_S) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * asked)
        client.recv(1, socket.MSG_PEEK)
        with ThreadPoolExecutor() as threads:
            stopped = threads.submit(running.stop)
            time.sleep(0.5)  # It is stopping when the client begins to read.
            answers = b"".join(iter(lambda: client.recv(65536), b""))
            assert stopped.result() == 0
    bodies = [one.partition(b"\r\n\r\n")[2] for one in answers.split(b"HTTP/1.1 200 OK")[1:]]
    assert [json.loads(body) for body in bodies] == [document] * asked


def all_heard(aircraft):
    """The aircraft, once they are as many as the recording has, with their altitudes and most positions."""
    known = all("alt_baro" in a for a in aircraft.values()) and sum("lat" in a for a in aircraft.values()) >= 9
    return len(aircraft) >= 11 and known and aircraft


@pytest.mark.parametrize("name", ["ulss7_61s.beast", "ulss7_61s_original_duplicated.beast"])
def test_a_beast_recording_shows_its_aircraft_and_no_other(service, shared_data, expected, name):
    feed = FeedServer(beast_chunks((shared_data / "raw" / name).read_bytes()), speed=6.0)
    running = service(receiver__roof=f"beast 127.0.0.1:{feed.port}").start()
    until(lambda: feed.accepted)
    feed.play()
    try:
        assert feed.done.wait(2 * PATIENCE_S)
        aircraft = until(lambda: all_heard(running.aircraft()))
    finally:
        feed.close()
    assert set(aircraft) == set(expected["aircraft_with_crc"])
    assert {a["flight"].strip() for a in aircraft.values() if "flight" in a} <= set(expected["callsigns"])
    assert {a["squawk"] for a in aircraft.values() if "squawk" in a} <= set(expected["squawks"])


def test_a_receiver_that_goes_and_comes_back_is_heard_again(service, shared_data, expected):
    chunks = beast_chunks((shared_data / "raw" / "ulss7_61s.beast").read_bytes())
    feed = FeedServer(chunks, speed=4.0)
    running = service(receiver__roof=f"beast 127.0.0.1:{feed.port}").start()
    until(lambda: feed.accepted)
    feed.play()
    try:
        until(lambda: len(running.aircraft()) >= 5)
        feed.close_clients()
        feed.open()
        until(lambda: feed.accepted >= 2)
        assert feed.done.wait(2 * PATIENCE_S)
        aircraft = until(lambda: (a := running.aircraft()) and len(a) >= 11 and a)
    finally:
        feed.close()
    assert set(aircraft) == set(expected["aircraft_with_crc"])


@pytest.mark.smoke
def test_the_picture_is_back_after_a_power_cut(service):
    running = service(receiver__demo="simulate aircraft=50 seed=7", picture_save_s=1, picture_timeout_s=600).start()
    before = until(lambda: (a := running.aircraft()) and len(a) >= 40 and a)
    until(lambda: running.get("/api/v1/aircraft?limit=1")["now"] > max_first_seen(before) + 4)
    before = running.aircraft()
    running.kill()
    running.start()
    after = until(running.aircraft)
    kept = {a for a in before if a in after and after[a]["first_seen"] == before[a]["first_seen"]}
    assert len(kept) >= 0.9 * len(before)


def max_first_seen(aircraft):
    return max(datetime.fromisoformat(a["first_seen"]).timestamp() for a in aircraft.values())


def refused(*arguments, **environment):
    done = run_command(*arguments, **environment)
    assert done.returncode == 1, done
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


class TestWhatIsWrongIsOneLine:
    @pytest.mark.parametrize(
        ("settings", "pattern"),
        [
            ({"receiver__roof": "beest localhost:30005"}, r"setting receiver\.roof: .*beest"),
            ({"receiver__roof": "beast nowhere"}, r"setting receiver\.roof: "),
            ({"receiver__tape": "replay /nonexistent/tape"}, r"setting receiver\.tape: "),
            ({"database_url": "sqlite:////nonexistent/folder/x.sqlite"}, r"setting database_url: .*cannot be opened"),
            ({"database_url": "nonsense"}, r"setting database_url: is not a database URL"),
            (
                {"bus": "redis://127.0.0.1:1/0", "secret": "x" * 40, "start_wait_s": 0},
                r"setting bus: Redis cannot be reached",
            ),
            ({"auth_mode": "ajar"}, r"setting auth_mode: expected one of"),
            ({"environment": "production"}, r"setting secret: must be set in production"),
            (
                {
                    "oidc_enabled": "true",
                    "oidc_provider_url": "https://id.example",
                    "oidc_client_id": "skywatch",
                    "oidc_default_role": "veiwer",
                },
                r"setting oidc_default_role: there is no role veiwer",
            ),
        ],
    )
    def test_a_setting(self, tmp_path, settings, pattern):
        service = Service(tmp_path, **settings)
        if not {"database_url", "auth_mode", "environment", "bus"} & set(settings):
            service.init()
        assert re.match(f"skywatch: {pattern}", refused("serve", str(service.ini)))

    def test_a_recording_that_is_not_one(self, tmp_path):
        (tmp_path / "tape.bin").write_bytes(b"\x00" * 5000)
        service = Service(tmp_path, receiver__tape=f"replay {tmp_path}/tape.bin").init()
        assert refused("serve", str(service.ini)).startswith("skywatch: setting receiver.tape: ")

    @pytest.mark.parametrize("setting", ["listen", "realtime_listen"])
    def test_a_port_in_use(self, service, tmp_path_factory, setting):
        running = service(receiver__demo="simulate aircraft=5").start()
        taken = running.port if setting == "listen" else running.realtime_port
        second = Service(tmp_path_factory.mktemp("second"), **{setting: f"127.0.0.1:{taken}"}).init()
        assert re.match(rf"skywatch: setting {setting}: .*cannot be opened", refused("serve", str(second.ini)))

    def test_a_database_without_a_schema(self, tmp_path):
        service = Service(tmp_path)
        assert "run `skywatch init FILE.ini`" in refused("serve", str(service.ini))

    def test_a_schema_newer_than_the_code(self, tmp_path):
        service = Service(tmp_path).init()
        with sqlite3.connect(tmp_path / "skywatch.sqlite") as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            # Nor does it say that code of this release runs on it.
            connection.execute("UPDATE schema_properties SET value = '9999' WHERE name = 'compatible_from'")
        for command in ("serve", "init"):
            assert "newer than this version of Skywatch" in refused(command, str(service.ini))

    @pytest.mark.parametrize(
        "content", [None, "", "not an ini file", "[server:main]\nuse = egg:waitress\n", "\x00\xff"]
    )
    def test_an_ini_file_that_is_not_one(self, tmp_path, content):
        path = tmp_path / "broken.ini"
        if content is not None:
            path.write_bytes(content.encode("latin-1"))
        assert str(path) in refused("serve", str(path))


def test_an_unreachable_receiver_does_not_stop_the_service(service):
    running = service(receiver__gone="beast 127.0.0.1:1", receiver__demo="simulate aircraft=20").start()
    assert until(lambda: len(running.aircraft()) >= 10)


def test_settings_are_shown_with_their_origin_and_secrets_masked(tmp_path):
    service = Service(tmp_path, secret="s" * 40, receiver__roof="beast localhost:30005")
    shown = run_command("settings", str(service.ini), AUTH_MODE="private")
    assert shown.returncode == 0
    assert re.search(r"^auth_mode +private +\(environment\)$", shown.stdout, re.MULTILINE)
    assert re.search(r"^secret +\*{8} +\(ini\)$", shown.stdout, re.MULTILINE)
    assert "ssss" not in shown.stdout
    assert re.search(r"^bus +memory +\(", shown.stdout, re.MULTILINE)


@pytest.mark.parametrize("bus", ["redis_url", "nats_url"])
def test_each_role_is_a_process_of_its_own(service, tmp_path_factory, request, postgresql_url, bus):
    shared = {"secret": "x" * 40, "bus": request.getfixturevalue(bus), "database_url": postgresql_url}
    shared |= {"receiver__demo": "simulate aircraft=60 seed=3", "auth_mode": "public"}
    tracker = service(**shared)
    tracker.start("--role", "tracker", wait=False, new_interpreter=True)
    apis = [Service(tmp_path_factory.mktemp(f"api{n}"), **shared) for n in range(2)]
    try:
        for api in apis:
            # What a role imports by itself is seen once.
            api.start("--role", "api", new_interpreter=api is apis[0])
            assert until(lambda api=api: len(api.aircraft()) >= 40)
        first, second = (api.aircraft() for api in apis)
        assert len(set(first) & set(second)) >= 40
        address = next(a for a, fields in first.items() if fields.get("gs", 0) > 100 and "lat" in fields)
        assert until(lambda: apis[0].get(f"/api/v1/aircraft/{address}/trail")["trail"])
        tracker.kill()
        # What the last tick showed stays, and ages show that it does; a new tracker takes over.
        assert len(apis[0].aircraft()) >= 40
        stopped_at = apis[0].get("/api/v1/aircraft?limit=1")["now"]
        tracker.start("--role", "tracker", wait=False)
        assert until(lambda: apis[1].get("/api/v1/aircraft?limit=1")["now"] > stopped_at)
    finally:
        for api in apis:
            api.stop()
