"""A receiver of webhooks on this machine that answers as a test says and keeps what came."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """What came, and how to answer: ``answers`` are used up one by one, then ``status``."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.connections = 0
        self.status = 200
        self.answers: list[int] = []
        self.headers: dict[str, str] = {}
        self.delay_s = 0.0
        self.url = ""
        self.port = 0
        self._lock = threading.Lock()

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The bodies as JSON, in the order in which they came."""
        return [json.loads(request["body"]) for request in self.requests]

    @property
    def ids(self) -> list[str]:
        """The message ids, in the order in which they came."""
        return [request["headers"]["webhook-id"] for request in self.requests]

    def take(self, method: str, path: str, headers: dict[str, str], body: bytes) -> int:
        """Keep a request; gives the status to answer."""
        with self._lock:
            at = time.time()
            self.requests.append({"method": method, "path": path, "headers": headers, "body": body, "at": at})
            return self.answers.pop(0) if self.answers else self.status


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver for the time of a test."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def setup(self) -> None:
            receiver.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = receiver.take(self.command, self.path, headers, body)
            time.sleep(receiver.delay_s)
            self.send_response(status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_PUT = do_POST  # noqa: N815

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    receiver.url = f"http://127.0.0.1:{receiver.port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
