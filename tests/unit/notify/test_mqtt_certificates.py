"""A broker with a certificate of its owner's."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import contextmanager

import pytest

from skywatch.notify.mqtt.link import MqttLink
from skywatch.notify.settings import NotifySettings, parse_mqtt_url
from tests.certificates import Authority
from tests.waiting import eventually

# The answer to CONNECT in MQTT 5: accepted, no properties.
CONNACK = b"\x20\x03\x00\x00\x00"


@contextmanager
def broker(server):
    """Accept every client over TLS; the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.file)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client):
        try:
            with context.wrap_socket(client, server_side=True) as secured:
                secured.recv(4096)
                secured.sendall(CONNACK)
                while secured.recv(4096):
                    pass
        except OSError:
            pass

    def accept():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def test_a_broker_is_trusted_by_authority_and_by_fingerprint(tmp_path, caplog):
    authority = Authority(tmp_path)
    server, other = authority.server("127.0.0.1"), authority.server("127.0.0.1")

    async def connects(query):
        link = MqttLink(NotifySettings(notify_mqtt_url=parse_mqtt_url(f"mqtts://127.0.0.1:{port}{query}")))
        await link.start()
        await eventually(lambda: link._connected.is_set() or link._faults.count)
        is_connected = link._connected.is_set()
        await link.stop()
        return is_connected

    with broker(server) as port:
        for query in (f"?ca={authority.file}", f"?fingerprint={server.fingerprint}"):
            assert asyncio.run(connects(query)), query
        assert not asyncio.run(connects(""))
        assert "the certificate is not trusted" in caplog.text
        assert not asyncio.run(connects(f"?fingerprint={other.fingerprint}"))
        assert "the certificate has another fingerprint" in caplog.text


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mqtt://broker?ca=/etc/hostname", "for https:// and mqtts:// addresses"),
        ("mqtts://broker?ca=/nowhere", "cannot be read"),
        ("mqtts://broker?colour=red", "ca=FILE and fingerprint=SHA256"),
    ],
)
def test_wrong_options_of_a_broker_are_refused(url, words):
    with pytest.raises(ValueError, match=words):
        parse_mqtt_url(url)
