"""Channels over REST: what is shown, what is refused, who sees whose, and that no secret is ever shown again."""

import json
import logging
import socket
import threading
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.database.upkeep import seal_stored
from skywatch.core.network.targets import NOT_ALLOWED
from skywatch.notify.channels.channel_test import channel_test_limiter
from skywatch.notify.deliveries.leases import recipient_of
from skywatch.notify.models import Channel
from tests.functional.notify.conftest import ADA, ADMIN, BASE, BEN, VIEWER
from tests.ports import free_port
from tests.receiving import receiving
from tests.servers import BEFORE_SQL
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_a_channel_is_created_shown_changed_and_deleted",
        "test_a_disabled_channel_is_healthy_again_when_it_is_enabled",
        "test_browsers_are_subscribed_and_removed",
        "test_no_secret_is_in_an_answer_a_log_line_or_the_audit_log",
        "test_what_a_version_before_stored_is_read_and_then_encrypted",
    ],
)

SECRETS = ("secret-path", "key=1", "whsec_", "bottoken")


def test_a_channel_is_created_shown_changed_and_deleted(client, add):
    created = add(minimum_priority="warning", sources=["safety"])
    assert created.pop("secret").startswith("whsec_")
    assert created["address"] == "https://hooks.example.org"
    assert created["state"] == "healthy"
    assert (created["rate_per_minute"], created["digest_s"], created["send_cleared"]) == (30, None, False)
    url = f"{BASE}/channels/{created['id']}/"
    assert client.get(url, headers=ADA).json == created
    assert client.get(f"{BASE}/channels/", headers=ADA).json["channels"] == [created]
    changed = client.patch_json(url, {"name": "door", "digest_s": 60}, headers=ADA).json
    assert (changed["name"], changed["digest_s"], changed["minimum_priority"]) == ("door", 60, "warning")
    client.delete(url, headers=ADA, status=204)
    client.get(url, headers=ADA, status=404)


def test_what_is_wrong_is_named_all_at_once(client):
    body = {"name": "", "kind": "pigeon", "rate_per_minute": 0, "digest_s": 5, "sources": ["x"], "colour": "red"}
    problem = client.post_json(f"{BASE}/channels/", body, headers=ADA, status=400).json
    named = {error["name"] for error in problem["errors"]}
    assert named == {"name", "kind", "rate_per_minute", "digest_s", "sources.0", "colour"}


@BEFORE_SQL
@pytest.mark.parametrize(
    ("kind", "address", "detail"),
    [
        ("webhook", "", "is needed"),
        ("webhook", "http://192.168.1.1/", NOT_ALLOWED),
        ("webhook", "https://user:pw@example.org/", NOT_ALLOWED),
        ("webhook", "file:///etc/passwd", NOT_ALLOWED),
        ("apprise", "json://example.org/", "json is not an allowed service"),
        ("apprise", "dbus://", "dbus is not an allowed service"),
        ("apprise", "ntfys", "must be an Apprise address"),
        ("apprise", "mailto://me:pw@example.org?smtp=10.0.0.1", NOT_ALLOWED),
        ("apprise", "ntfy://192.168.1.1/topic", NOT_ALLOWED),
        ("apprise", "discord://1/2?template=/etc/passwd", NOT_ALLOWED),
        ("apprise", "discord://1/2/?attach=http://10.0.0.1/", NOT_ALLOWED),
        ("apprise", "ntfy://topic, json://10.0.0.1", NOT_ALLOWED),
        ("apprise", "ntfy://topic/json://10.0.0.1", NOT_ALLOWED),
        ("mqtt", "kitchen", "no MQTT broker"),
        ("web_push", "https://example.org/", "must be empty"),
    ],
)
def test_an_address_that_cannot_work_is_refused(add, kind, address, detail):
    problem = add(kind=kind, address=address, status=400)
    (error,) = problem["errors"]
    assert error["name"] == "address"
    assert detail in error["detail"]


def test_topics_of_mqtt(make_client, client):
    from tests.identities import install

    with_broker = install(
        make_client(
            database_url=client.runtime.settings.database_url, auth_mode="hybrid", notify_mqtt_url="mqtt://127.0.0.1:1"
        )
    )
    for address, status in (("kitchen/display", 201), ("#", 400), ("a/+/b", 400), ("/a", 400), ("$SYS/x", 400)):
        body = {"name": "m", "kind": "mqtt", "address": address}
        with_broker.post_json(f"{BASE}/channels/", body, headers=ADA, status=status)


def test_channels_of_others_are_not_there_but_for_who_manages_all(client, add):
    mine, bens = add(), add(headers=BEN)
    assert [c["id"] for c in client.get(f"{BASE}/channels/", headers=ADA).json["channels"]] == [mine["id"]]
    assert client.get(f"{BASE}/channels/", headers=ADMIN).json["count"] == 2
    assert client.get(f"{BASE}/channels/?user=2", headers=ADMIN).json["channels"][0]["id"] == bens["id"]
    url = f"{BASE}/channels/{bens['id']}/"
    client.get(url, headers=ADA, status=404)
    client.patch_json(url, {"name": "mine"}, headers=ADA, status=404)
    client.delete(url, headers=ADA, status=404)
    client.post_json(f"{url}test/", {}, headers=ADA, status=404)
    client.post_json(f"{url}rotate-secret/", {}, headers=ADA, status=404)
    client.get(url, headers=ADMIN, status=200)


def test_a_user_has_at_most_20_channels(add):
    for _ in range(20):
        add()
    assert add(status=409)["code"] == "conflict"
    add(headers=BEN)


def test_who_may_not_create_cannot(add):
    assert add(headers=VIEWER, status=403)["code"] == "permission_denied"


def test_a_rotated_secret_is_shown_once_and_the_old_one_kept_for_a_day(client, add):
    created = add()
    url = f"{BASE}/channels/{created['id']}/rotate-secret/"
    rotated = client.post_json(url, {}, headers=ADA).json
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != created["secret"]
    with client.runtime.sessions() as session:
        stored = session.get(Channel, created["id"])
        assert stored.previous_secret == created["secret"]
        assert 86_300 < (stored.previous_secret_until - stored.created_at).total_seconds() < 86_500
    push = add(kind="web_push", address="")
    assert push["secret"] is None
    client.post_json(f"{BASE}/channels/{push['id']}/rotate-secret/", {}, headers=ADA, status=409)


def stored(client, number):
    """Address and secret of a channel as they are in the database."""
    query = sa.text("SELECT address, secret FROM notify_channels WHERE id = :number")
    with client.runtime.engine.connect() as connection:
        return connection.execute(query, {"number": number}).one()


def test_addresses_and_secrets_are_encrypted_in_the_database(client, add):
    created = add(address="https://example.org/token-4711")
    assert all(text.startswith("gAAAAA") for text in stored(client, created["id"]))
    with client.runtime.sessions() as session:
        recipient = recipient_of(session, session.get_one(Channel, created["id"]), utcnow())
    assert (recipient.address, recipient.secrets) == ("https://example.org/token-4711", (created["secret"],))


def test_what_a_version_before_stored_is_read_and_then_encrypted(client, add):
    created = add()
    old = {"address": "https://example.org/old", "secret": "whsec_old", "number": created["id"]}
    with client.runtime.engine.begin() as connection:
        statement = "UPDATE notify_channels SET address = :address, secret = :secret WHERE id = :number"
        connection.execute(sa.text(statement), old)
    with writing(client.runtime.sessions) as session:
        assert session.get_one(Channel, created["id"]).secret == "whsec_old"
        assert seal_stored(session) == ["notify_channels"]
        assert seal_stored(session) == []
    assert all(text.startswith("gAAAAA") for text in stored(client, created["id"]))
    with client.runtime.sessions() as session:
        assert session.get_one(Channel, created["id"]).address == "https://example.org/old"


def test_a_channel_of_another_secret_says_what_to_do(client, add):
    created = add()
    url = f"{BASE}/channels/{created['id']}"
    seal_columns(client.runtime.engine, "another secret of the installation 0123456789")
    assert client.get(f"{url}/", headers=ADA).json["address"] == "webhook: cannot be read"
    assert "enter it again" in client.post_json(f"{url}/test/", {}, headers=ADA).json["detail"]
    client.patch_json(f"{url}/", {"address": "https://example.org/new"}, headers=ADA)
    assert "rotate it" in client.post_json(f"{url}/test/", {}, headers=ADA).json["detail"]


def test_a_disabled_channel_is_healthy_again_when_it_is_enabled(client, add):
    created = add()
    with client.runtime.sessions() as session, session.begin():
        stored = session.get(Channel, created["id"])
        stored.state, stored.failures, stored.last_error = "disabled", 20, "x"
    changed = client.patch_json(f"{BASE}/channels/{created['id']}/", {"enabled": True}, headers=ADA).json
    assert (changed["state"], changed["failures"], changed["last_error"]) == ("healthy", 0, None)


def test_a_test_message_says_whether_it_arrived(client, add):
    with receiving() as receiver:
        created = add(address=f"{receiver.url}/hook")
        url = f"{BASE}/channels/{created['id']}/test/"
        assert client.post_json(url, {}, headers=ADA).json == {"delivered": True, "detail": ""}
        assert receiver.documents[0]["type"] == "channel.test"
        receiver.status = 404
        failed = client.post_json(url, {}, headers=ADA).json
        assert failed == {"delivered": False, "detail": "The receiver answered with status 404."}
    assert client.post_json(url, {}, headers=ADA).json["detail"] == "The host cannot be reached."


def test_test_of_one_person_takes_nobody_elses_turn(client, add, monkeypatch):
    turns = client.runtime.shared(channel_test_limiter)
    monkeypatch.setattr(turns, "wait_s", 0)
    with receiving() as receiver:
        address = f"{receiver.url}/hook"
        urls = {"ada": f"{BASE}/channels/{add(address=address)['id']}/test/"}
        urls["ben"] = f"{BASE}/channels/{add(address=address, headers=BEN)['id']}/test/"
        with turns.turn("user 1"):
            busy = client.post_json(urls["ada"], {}, headers=ADA, status=503)
            assert "Another test of a channel of yours" in busy.json["detail"]
            assert busy.headers["Retry-After"] == "5"
            assert client.post_json(urls["ben"], {}, headers=BEN).json["delivered"]
        assert client.post_json(urls["ada"], {}, headers=ADA).json["delivered"]


@contextmanager
def speaking(line):
    """The port of a server that sends a line, or nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        clients = []

        def serve():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                clients.append(client)
                if line:
                    client.sendall(line)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for client in clients:
            client.close()


def test_a_test_says_the_same_of_every_host_that_is_not_reached(client, add, monkeypatch, caplog):
    """Else users could look around in the service's network: which names and ports there are, and what answers."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("skywatch.core.network.targets.TargetPolicy.check_host", lambda self, host: None)
    told = {}
    with speaking(b"SSH-2.0-OpenSSH_9.2\r\n\r\n") as not_http, speaking(None) as silent:
        hosts = {
            "refused": f"http://127.0.0.1:{free_port()}/",
            "no name": "https://no-such-host.invalid/",
            "not allowed": "http://10.0.0.1/",
            "not HTTP": f"http://127.0.0.1:{not_http}/",
            "no TLS": f"https://127.0.0.1:{not_http}/",
            "silent": f"http://127.0.0.1:{silent}/",
        }
        for what, address in hosts.items():
            # The others have their time on a busy machine, too.
            patience_s = 1.5 if what in ("no name", "silent") else PATIENCE_S
            monkeypatch.setattr("skywatch.notify.senders.all.TIMEOUT_S", patience_s)
            url = f"{BASE}/channels/{add(address=address)['id']}/test/"
            told[what] = client.post_json(url, {}, headers=ADA).json
    assert set(told) == set(hosts)
    assert all(answer == {"delivered": False, "detail": "The host cannot be reached."} for answer in told.values()), (
        told
    )
    causes = {record.getMessage().partition("test: ")[2] for record in caplog.records if "test: " in record.message}
    assert {"The connection cannot be made.", NOT_ALLOWED, "The answer is not HTTP."} <= causes


def test_no_secret_is_in_an_answer_a_log_line_or_the_audit_log(client, add, caplog):
    caplog.set_level(logging.DEBUG)
    created = add()
    tgram = add(kind="apprise", address="tgram://bottoken/chat")
    assert tgram["address"] == "tgram://"
    secret = created["secret"]
    url = f"{BASE}/channels/{created['id']}/"
    texts = [client.patch_json(url, {"address": "https://other.example.org/secret-path"}, headers=ADA).text]
    texts += [client.get(path, headers=ADMIN).text for path in (url, f"{BASE}/channels/", f"{BASE}/deliveries/")]
    rotated = client.post_json(f"{url}rotate-secret/", {}, headers=ADA).json["secret"]
    client.delete(url, headers=ADA)
    with client.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).order_by(AuditEntry.id)).all()
        assert [e.action for e in entries] == [
            "channel.created",
            "channel.created",
            "channel.changed",
            "channel.secret_rotated",
            "channel.deleted",
        ]
        assert entries[2].after == {"address": "https://other.example.org", "address_changed": True}
        texts += [json.dumps([e.before, e.after, e.target_name]) for e in entries]
    texts += [repr(session.get(Channel, tgram["id"]))]
    texts += [record.getMessage() for record in caplog.records]
    for hidden in (*SECRETS, secret, rotated):
        assert not [text for text in texts if hidden in text]


def test_browsers_are_subscribed_and_removed(client):
    keys = {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    }
    body = {"endpoint": "https://push.example.net/abc", "expirationTime": None, "keys": keys}
    created = client.post_json(f"{BASE}/browsers/", body, headers=ADA, status=201).json
    assert (created["service"], created["name"]) == ("push.example.net", "Browser")
    again = client.post_json(f"{BASE}/browsers/", {**body, "name": "Phone"}, headers=ADA, status=201).json
    assert again["id"] == created["id"]
    assert client.get(f"{BASE}/browsers/", headers=ADA).json["browsers"] == [again]
    assert client.get(f"{BASE}/browsers/", headers=BEN).json["browsers"] == []
    client.delete(f"{BASE}/browsers/{again['id']}/", headers=BEN, status=404)
    client.delete(f"{BASE}/browsers/{again['id']}/", headers=ADA, status=204)
    assert len(client.get(f"{BASE}/browsers/key/", headers=ADA).json["public_key"]) == 87
    wrong = {"endpoint": "http://push.example.net/abc", "keys": {"p256dh": "AAAA", "auth": "AAAA"}}
    problem = client.post_json(f"{BASE}/browsers/", wrong, headers=ADA, status=400).json
    assert {error["name"] for error in problem["errors"]} == {"endpoint", "keys.p256dh", "keys.auth"}
