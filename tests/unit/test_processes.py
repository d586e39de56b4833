"""What ``Service.aircraft`` makes of the answers of a service."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from webtest import TestApp

from skywatch.core.runtime import runtime_of
from skywatch.picture.access import picture_replica
from tests.app_templates import make_app
from tests.processes import Service


@contextmanager
def answering(service, answers):
    """A server in the place of the service that gives one answer (status, body) after the other."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = answers.pop(0)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", service.port), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield
        server.shutdown()
        thread.join()


@pytest.fixture
def no_picture(make_runtime, monkeypatch):
    """The answer where the tracker has published nothing."""
    app = make_app(make_runtime(auth_mode="public"))
    monkeypatch.setattr(type(runtime_of(app.registry).shared(picture_replica)), "has_no_picture", True)
    return TestApp(app).get("/api/v1/aircraft", status=503).json


def test_a_picture_that_is_not_there_yet_is_waited_for(tmp_path, no_picture):
    service = Service(tmp_path)
    with answering(service, [(503, no_picture), (200, {"aircraft": [{"hex": "3c6444"}]})]):
        assert service.aircraft() == {"3c6444": {"hex": "3c6444"}}


@pytest.mark.parametrize("status", [500, 503])
def test_no_other_failure_counts_as_an_empty_sky(tmp_path, status):
    service = Service(tmp_path)
    code = {500: "internal_error", 503: "unavailable"}[status]
    problem = {"code": code, "detail": "Temporarily unavailable."}
    with answering(service, [(status, problem)]), pytest.raises(AssertionError, match=code):
        service.aircraft()
