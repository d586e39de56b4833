"""Apprise against stand-ins on this machine: what ntfy and gotify publish, SMTP, and targets that are not allowed."""

import asyncio
import json

import pytest
from aiosmtpd.controller import Controller

from skywatch.core.network.targets import NOT_ALLOWED
from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.senders.apprise import NOT_SENT, AppriseSender
from skywatch.notify.senders.base import Recipient, SendFailed
from skywatch.notify.settings import NotifySettings
from tests.ports import free_port
from tests.receiving import receiving
from tests.waiting import PATIENCE_S

pytest.importorskip("apprise")
MESSAGE = OutgoingMessage("msg_1", "Low helicopter", "HB-ZRD is 0.4 nm away", "warning", b"{}")


@pytest.fixture
def attempt(make_settings, monkeypatch):
    # A process of its own imports the library first.
    monkeypatch.setattr("skywatch.notify.senders.apprise.TIMEOUT_S", PATIENCE_S)

    def attempt(address, networks="127.0.0.0/8", schemes=None):
        changes = {"notify_allow_networks": networks}
        if schemes:
            changes["notify_apprise_schemes"] = schemes
        sender = AppriseSender(make_settings(**changes).of(NotifySettings))
        return asyncio.run(sender.send(Recipient(1, 1, "apprise", address), MESSAGE))

    return attempt


@pytest.fixture
def server():
    with receiving() as receiver:
        yield receiver


def test_ntfy_gets_what_its_documentation_asks_for(attempt, server):
    attempt(f"ntfy://127.0.0.1:{server.port}/planes?priority=high")
    (request,) = server.requests
    published = json.loads(request["body"])
    assert request["method"] == "POST"
    assert published["topic"] == "planes"
    assert published["title"] == "Low helicopter"
    assert published["message"] == "HB-ZRD is 0.4 nm away"
    assert request["headers"]["x-priority"] == "high"


def test_gotify_gets_what_its_documentation_asks_for(attempt, server):
    attempt(f"gotify://127.0.0.1:{server.port}/Atoken_1")
    (request,) = server.requests
    assert request["path"].split("?")[0] == "/message"
    assert request["headers"].get("x-gotify-key") == "Atoken_1"
    published = json.loads(request["body"])
    assert (published["title"], published["message"]) == ("Low helicopter", "HB-ZRD is 0.4 nm away")


def test_an_e_mail_is_sent(attempt):
    messages = []

    class Mailbox:
        async def handle_DATA(self, server, session, envelope):
            messages.append(envelope)
            return "250 OK"

    controller = Controller(Mailbox(), hostname="127.0.0.1", port=free_port(), ready_timeout=PATIENCE_S)
    controller.start()
    try:
        attempt(f"mailto://127.0.0.1:{controller.port}/?from=tower@example.org&to=ada@example.org")
    finally:
        controller.stop()
    (envelope,) = messages
    assert envelope.rcpt_tos == ["ada@example.org"]
    text = envelope.content.decode()
    assert "Subject: Low helicopter" in text
    assert "HB-ZRD is 0.4 nm away" in text


HIDDEN = [
    "gotify://127.0.0.1:PORT/Atoken",
    "gotify://127.1:PORT/Atoken",
    "gotify://2130706433:PORT/Atoken",
    "gotify://localhost:PORT/Atoken",
    "gotify://[::1]:PORT/Atoken",
    "gotify://[::ffff:127.0.0.1]:PORT/Atoken",
    "ntfy://127.0.0.1:PORT/planes",
    "ntfy://user:pass@127.0.0.1:PORT/planes",
    "mailto://me:pw@example.org?smtp=127.0.0.1",
    "mailto://me:pw@example.org?smtp=localhost:PORT",
    "mailto://me:pw@127.0.0.1:PORT",
    "discord://1/2?template=/etc/passwd",
    "slack://a/b/c?template=file:///etc/passwd",
    "discord://1/2?attach=http://127.0.0.1:PORT/",
    "ntfy://planes?attach=http://127.0.0.1:PORT/",
    "ntfy://planes?redirect=yes",
    "ntfy://planes?Attach=/etc/passwd",
    "ntfy://planes?%61ttach=/etc/passwd",
    "matrix://user:pw@127.0.0.1:PORT/room",
    "rocket://user:pw@10.0.0.1/room",
    "mmost://192.168.1.1/abcdefghijklmnopqrstuvwxyz",
    "gotify://169.254.169.254/latest",
    "ntfy://planes, gotify://127.0.0.1:PORT/Atoken",
    "ntfy://planes/gotify://127.0.0.1:PORT/Atoken",
    "ntfy://planes?to=gotify://127.0.0.1:PORT/Atoken",
    "ntfy://planes?+X-Header=1",
    "ntfy://planes?click=http://127.0.0.1:PORT",
]


@pytest.mark.parametrize("address", HIDDEN, ids=range(len(HIDDEN)))
def test_hidden_destinations_are_refused_in_the_same_words_and_not_reached(attempt, server, address):
    with pytest.raises(SendFailed) as caught:
        attempt(address.replace("PORT", str(server.port)), networks="")
    assert str(caught.value) == NOT_ALLOWED
    assert server.connections == 0


def test_a_redirect_leads_nowhere_that_is_not_allowed(attempt, server):
    with receiving() as secret:
        # The service itself may be reached, what it redirects to may not.
        server.status, server.headers = 307, {"Location": f"http://127.0.0.2:{secret.port}/"}
        with pytest.raises(SendFailed):
            attempt(f"gotify://127.0.0.1:{server.port}/Atoken", networks="127.0.0.1/32")
        assert secret.connections == 0


def test_a_service_that_does_not_answer_is_ended_at_the_deadline(attempt, server, monkeypatch):
    monkeypatch.setattr("skywatch.notify.senders.apprise.TIMEOUT_S", 3.0)
    server.delay_s = 30.0
    with pytest.raises(SendFailed) as caught:
        attempt(f"gotify://127.0.0.1:{server.port}/Atoken")
    assert (str(caught.value), caught.value.cause) == (NOT_SENT, "No answer within 3 s.")


def test_what_cannot_be_reached_and_what_may_not_be_are_told_in_the_same_words(attempt):
    said = set()
    for host, networks in ((f"127.0.0.1:{free_port()}", "127.0.0.0/8"), ("no-such-host.invalid", "")):
        with pytest.raises(SendFailed) as caught:
            attempt(f"gotify://{host}/Atoken", networks=networks)
        said.add(str(caught.value))
    assert said == {NOT_SENT}


def test_local_services_are_off_unless_they_are_allowed(attempt):
    with pytest.raises(SendFailed, match="syslog is not an allowed service"):
        attempt("syslog://")
