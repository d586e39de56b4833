"""An S3 server for tests, in this process: moto's."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from tests.waiting import PATIENCE_S

KEYS = {"archive_s3_access_key": "key", "archive_s3_secret_key": "secret"}


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of a server with the bucket ``sky``."""
    # A quarter of a second of imports, which other tests do without.
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        create_bucket(address, "sky")
        yield address
    finally:
        server.stop()


def create_bucket(address: str, name: str) -> None:
    """A new bucket."""
    import httpx

    key = "AWS4-HMAC-SHA256 Credential=key/20260301/us-east-1/s3"
    httpx.put(f"{address}/{name}", headers={"Authorization": key}, timeout=PATIENCE_S).raise_for_status()
