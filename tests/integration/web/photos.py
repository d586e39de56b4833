"""A source of photos that answers in the place of planespotters.net, over https, and remembers what it was asked."""

from __future__ import annotations

import datetime
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.integration.web.archive import picture

HOSTS = ("api.planespotters.net", "t.plnspttrs.net")


class PhotoSource:
    """``asked`` has host, path and headers of each request; ``status`` and ``photos`` are what is answered next."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.status = 200
        self.photos: list[dict[str, object]] = [
            {
                "id": "1",
                "thumbnail_large": {
                    "src": "https://t.plnspttrs.net/1/1_280.png",
                    "size": {"width": 420, "height": 280},
                },
                "link": "https://www.planespotters.net/photo/1/somewhere?utm_source=api",
                "photographer": "A. <b>Spotter</b>",
            }
        ]

    @property
    def switches(self) -> tuple[str, str]:
        """What leads a browser here."""
        rules = ",".join(f"MAP {host} 127.0.0.1:{self.port}" for host in HOSTS)
        return f"--host-resolver-rules={rules}", "--ignore-certificate-errors"


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOSTS[0])])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "source.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


@contextmanager
def photo_source(folder: Path) -> Iterator[PhotoSource]:
    """The source until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers.get("Host", "")
            source.asked.append((host, self.path, {name.lower(): value for name, value in self.headers.items()}))
            if host == HOSTS[1]:
                self.answer(200, "image/png", picture(60, (70, 130, 180)))
            else:
                self.answer(source.status, "application/json", json.dumps({"photos": source.photos}).encode())

        def answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    source = PhotoSource(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield source
    finally:
        server.shutdown()
        server.server_close()
