"""Certificates made in a test, and servers that have them."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates of servers; ``file`` has its own certificate."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._signed(self.name, self.key, (-1, 10), x509.BasicConstraints(ca=True, path_length=None))
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server(self, *hosts: str, days: tuple[int, int] = (-1, 10)) -> Server:
        """The certificate of a server with these names or addresses, valid from and until so many days from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([_name(host) for host in hosts])
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
        return Server(self.folder, key, self._signed(subject, key, days, names))

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: tuple[int, int], extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        begin, end = (now + datetime.timedelta(days=day) for day in days)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end)
        return builder.add_extension(extension, critical=False).sign(self.key, hashes.SHA256())


class Server:
    """The certificate of a server, as a file, with its key, and by its fingerprint."""

    def __init__(self, folder: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self.file = folder / f"{certificate.serial_number:x}.pem"
        plain = serialization.NoEncryption()
        private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
        self.fingerprint = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest()


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


@contextmanager
def serving(body: Callable[[], bytes], server: Server | None = None) -> Iterator[int]:
    """Answer every request with what ``body`` gives, over TLS where there is a certificate; the port on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = body()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.handle_error = lambda *arguments: None  # type: ignore[method-assign]
    if server is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(server.file)
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    try:
        yield listening.server_port
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
