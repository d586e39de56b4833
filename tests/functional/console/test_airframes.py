"""Lists of airframes from the console: uploaded or loaded, entirely or not at all, and audited."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import sqlalchemy as sa

from skywatch.airframes.military import CHANGED
from skywatch.airframes.service import find
from skywatch.console.forms import airframes
from skywatch.core.database.models import AuditEntry
from tests.functional.console.visitor import ORIGIN, alert, main_form, note, populate

LINE = b"4b1620;HB-JCA;BCS3;00;AIRBUS A220-300;2017;SWISS;\n"


def upload(visitor, content, status=200, source="tar1090"):
    form = main_form(visitor.get("/airframes"))
    form["list"] = ("aircraft.csv.gz", content)
    form["format"] = source
    return form.submit("do", value="import", headers=ORIGIN, status=status)


def audited(visitor):
    with visitor.runtime.sessions() as session:
        rows = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "airframes.imported"))
        return [(entry.target_id, entry.actor_name, entry.after["aircraft"]) for entry in rows]


def registration(visitor):
    with visitor.runtime.sessions() as session:
        found = find(session, "4B1620")
        return found.registration if found is not None else None


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("packed", [False, True])
def test_a_list_is_uploaded_and_in_use(root, packed):
    assert "not imported yet" in root.get("/airframes")
    heard = []
    root.runtime.bus.subscribe(("airframes",), heard.append)
    page = upload(root, gzip.compress(LINE) if packed else LINE)
    assert "1 airframes: 1 new, 0 changed" in " ".join(note(page).split())
    assert registration(root) == "HB-JCA"
    assert audited(root) == [("tar1090", "superadmin", 1)]
    assert [message.event for message in heard] == [CHANGED]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is missing or empty"),
        (b"<html>not found</html>", ""),
        (gzip.compress(LINE * 1000)[:40], ""),
        (b"\x00\xff" * 5000, ""),
    ],
)
def test_what_is_no_list_is_refused_and_changes_nothing(root, content, reason):
    upload(root, LINE)
    page = upload(root, content, status=400)
    fault = page.html.find(id="about-list").find(class_="fault").text
    assert reason in fault
    assert "/" not in fault
    assert registration(root) == "HB-JCA"
    assert len(audited(root)) == 1


def test_one_import_at_a_time(root):
    with airframes._lock:
        assert "Another list is being imported" in alert(upload(root, LINE, status=409))
    assert audited(root) == []


def test_without_an_address_nothing_is_loaded(root):
    page = root.get("/airframes")
    assert "Load and import" not in page
    files = [("list", "x.csv", LINE)]
    page = root.post("/airframes", {"csrf_token": root.token, "do": "load"}, upload_files=files, status=409)
    assert "airframes_url" in alert(page)


class Server:
    """A web server with one answer."""

    def __init__(self, status, body, **headers):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/aircraft.csv.gz"


@pytest.fixture
def loading(make_visitor):
    servers = []

    def load(status, body, **headers):
        server = Server(status, body, **headers)
        servers.append(server.server)
        visitor = make_visitor(auth_mode="hybrid", airframes_url=server.url, airframes_max_bytes=2048)
        populate(visitor.runtime, "superadmin")
        visitor.sign_in("superadmin")
        form = next(
            one for one in visitor.get("/airframes").forms.values() if "list" not in one.fields and "do" in one.fields
        )
        return visitor, form.submit("do", value="load", headers=ORIGIN, status="*")

    yield load
    for server in servers:
        server.shutdown()
        server.server_close()


def test_the_list_at_the_address_is_loaded(loading):
    visitor, page = loading(200, gzip.compress(LINE))
    assert page.status_int == 200
    assert registration(visitor) == "HB-JCA"


@pytest.mark.parametrize(
    ("status", "body", "headers", "reason"),
    [
        (404, b"", {}, "the server answered 404"),
        (302, b"", {"Location": "http://127.0.0.1:1/"}, "the server answered 302"),
        (200, b"x" * 4096, {}, "too large"),
    ],
)
def test_why_a_list_cannot_be_loaded(loading, status, body, headers, reason):
    visitor, page = loading(status, body, **headers)
    assert page.status_int == 409
    assert reason in alert(page)
    assert audited(visitor) == []


def decide(visitor, address, military, status=303):
    form = main_form(visitor.get("/airframes/military"))
    form["icao_hex"], form["military"] = address, military
    answer = form.submit(headers=ORIGIN, status=status)
    return answer.follow() if status == 303 else answer


def test_whether_an_aircraft_is_military_is_set_and_listed(root):
    page = decide(root, "a12345", "yes")
    assert note(page) == "Saved."
    assert [cell.text for cell in page.html.select("table.rows td")] == ["A12345", "yes", "no", "never"]
    page = decide(root, "A12345", "no")
    assert [cell.text for cell in page.html.select("table.rows td")] == ["A12345", "no", "no", "never"]
    page = decide(root, "A12345", "lists")
    assert not page.html.select("table.rows td")
    with root.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "airframe.military_set")).all()
    assert [(entry.target_id, entry.after) for entry in entries] == [
        ("A12345", {"military": military}) for military in (True, False, None)
    ]


def test_what_is_no_address_is_refused_and_its_form_stays(root):
    page = decide(root, "xyz", "yes", status=400)
    assert alert(page)
    assert main_form(page)["icao_hex"].value == "xyz"
