"""Receivers by https whose servers have a certificate of their owner's, and what is said of one that is wrong."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from skywatch.receivers.editable import check, try_out
from skywatch.receivers.factory import open_receiver
from skywatch.settings import IniOnlyError, SettingsError
from tests.certificates import Authority, serving
from tests.waiting import PATIENCE_S


def document():
    """What readsb and v2 interfaces answer at this moment."""
    entries = [{"hex": "4b1620", "lat": 47.0, "lon": 8.0, "seen": 0.1, "seen_pos": 0.1}]
    return json.dumps({"now": time.time(), "aircraft": entries, "ac": entries}).encode()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


class Counted:
    def __init__(self):
        self.addresses = set()

    def put(self, receiver, reports, messages, positions=0):
        self.addresses.update(report.hex for report in reports)


def outcome(text):
    """The aircraft that a receiver brings, or else its last error."""
    receiver, sink = open_receiver("own", text, None), Counted()

    async def run():
        running = asyncio.create_task(receiver.run(sink))
        async with asyncio.timeout(PATIENCE_S):
            while not sink.addresses and not receiver.status.last_error:
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())
    return sink.addresses or receiver.status.last_error


@pytest.mark.parametrize("kind", ["readsb", "adsbx-v2"])
def test_a_certificate_of_ones_own_is_trusted_by_authority_and_by_fingerprint(authority, kind):
    server = authority.server("localhost", "127.0.0.1")
    colons = ":".join(server.fingerprint[n : n + 2] for n in range(0, 64, 2)).upper()
    with serving(document, server) as port:
        for host in ("localhost", "127.0.0.1"):
            url = f"https://{host}:{port}/aircraft.json"
            assert "certificate is not trusted" in outcome(f"{kind} {url}")
            for trust in (f"ca={authority.file}", f"fingerprint={server.fingerprint}", f"fingerprint={colons}"):
                assert outcome(f"{kind} {url} {trust}") == {"4b1620"}, trust
            assert outcome(f"{kind} {url} ca={authority.file} fingerprint={colons}") == {"4b1620"}


def test_a_certificate_that_signs_itself_is_its_own_authority(tmp_path):
    own = Authority(tmp_path, "127.0.0.1")
    server = own.server("127.0.0.1")
    with serving(document, server) as port:
        # Of the file with the certificate alone, without the authority that has signed it.
        assert outcome(f"readsb https://127.0.0.1:{port}/aircraft.json ca={server.file}") == {"4b1620"}


@pytest.mark.parametrize(
    ("hosts", "days", "words"),
    [
        (("127.0.0.1",), (-9, -2), "the certificate has expired"),
        (("127.0.0.1",), (2, 9), "the certificate is not valid yet"),
        (("pi.example.org",), (-1, 9), "the certificate is for another name"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_said(authority, hosts, days, words):
    server = authority.server(*hosts, days=days)
    with serving(document, server) as port:
        url = f"https://127.0.0.1:{port}/aircraft.json"
        assert words in outcome(f"readsb {url} ca={authority.file}")
        # Who knows this very certificate needs neither its name nor its end.
        assert outcome(f"readsb {url} fingerprint={server.fingerprint}") == {"4b1620"}


def test_another_certificate_is_refused_whoever_signed_it(authority):
    server, other = authority.server("127.0.0.1"), authority.server("127.0.0.1")
    with serving(document, server) as port:
        url = f"https://127.0.0.1:{port}/aircraft.json"
        for trust in ("", f" ca={authority.file}"):
            said = outcome(f"readsb {url} fingerprint={other.fingerprint}{trust}")
            assert said.replace(":", "").endswith(server.fingerprint)
            assert "another fingerprint" in said


def test_tls_on_a_plain_port_and_the_other_way_round_are_said(authority):
    with serving(document) as port:
        assert "does not speak TLS" in outcome(f"readsb https://127.0.0.1:{port}/aircraft.json")
    with serving(document, authority.server("127.0.0.1")) as port:
        assert "https://?" in outcome(f"readsb http://127.0.0.1:{port}/aircraft.json")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("https://pi/a.json ca=/nowhere.pem", "ca: /nowhere.pem cannot be read: no such file or directory"),
        ("https://pi/a.json ca=/etc/hostname", "holds no certificate in PEM form"),
        ("https://pi/a.json fingerprint=12:34", "64 hexadecimal digits"),
        ("http://pi/a.json fingerprint=" + 32 * "ab", "for https:// and mqtts:// addresses"),
        ("/run/readsb/aircraft.json ca=/etc/hostname", "for https:// and mqtts:// addresses"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(SettingsError, match=words.replace("?", r"\?")):
        open_receiver("own", f"readsb {options}", None)


def test_the_console_may_name_a_fingerprint_and_no_file(authority):
    server = authority.server("127.0.0.1")
    with serving(document, server) as port:
        text = f"readsb https://127.0.0.1:{port}/aircraft.json"
        tried = asyncio.run(try_out("own", f"{text} fingerprint={server.fingerprint}", None, 2.0))
        assert tried.succeeded
        with pytest.raises(IniOnlyError):
            check("own", f"{text} ca={authority.file}")
