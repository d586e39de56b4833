"""What is said of the certificate of a provider or another address that an administrator has named."""

from __future__ import annotations

import pytest

from skywatch.core.network.http_client import CallFailed, OutgoingClient
from tests.certificates import Authority, serving
from tests.waiting import PATIENCE_S


def said(port):
    """The body of an answer, or why there is none."""
    client = OutgoingClient(timeout_s=PATIENCE_S, maximum_bytes=100)
    try:
        return client.call("GET", f"https://127.0.0.1:{port}/").body
    except CallFailed as error:
        return str(error)


@pytest.mark.parametrize(
    ("hosts", "days", "words"),
    [
        (("127.0.0.1",), (-1, 9), b"here"),
        (("127.0.0.1",), (-9, -2), "The certificate has expired."),
        (("127.0.0.1",), (2, 9), "The certificate is not valid yet; is a clock wrong?"),
        (("idp.example.org",), (-1, 9), "The certificate is for another name than that of the address."),
    ],
)
def test_what_is_wrong_with_a_certificate_is_said(tmp_path, monkeypatch, hosts, days, words):
    authority = Authority(tmp_path)
    with serving(lambda: b"here", authority.server(*hosts, days=days)) as port:
        assert said(port) == "The certificate is not trusted."
        # As for every program that uses OpenSSL.
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert said(port) == words


def test_a_port_without_tls_is_said():
    with serving(lambda: b"here") as port:
        assert said(port) == "The server does not speak TLS on this port; is the address http://?"
