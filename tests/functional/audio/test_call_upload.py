"""rdio-scanner's call upload, as trunk-recorder and SDRTrunk send it."""

import pytest

from tests.accounts import Population
from tests.audio import UPLOAD, files_in, sound

URL = "/api/call-upload"


@pytest.fixture
def client(make_client, directory):
    return make_client(audio_directory=directory, auth_mode="private")


@pytest.fixture
def people(client):
    return Population(client.runtime)


def call(client, key, status=200, data=None, **fields):
    form = {"key": key, "system": "11", "talkgroup": "54241", "dateTime": "1769860800", **fields}
    files = [("audio", "call.wav", sound() if data is None else data)] if data != b"" else [("other", "x", b"")]
    return client.post(URL, {n: v for n, v in form.items() if v is not None}, upload_files=files, status=status)


def test_trunk_recorders_form(client, people):
    admin = people.user("ada", "admin")
    answer = call(
        client, people.key(admin, "audio"), audioName="call.wav", audioType="audio/wav", frequency="851012500",
        frequencies='[{"freq": 851012500, "time": 0}]', source="1234", sources="[]", patches="[]",
        talkgroupLabel="Tower", talkgroupTag="ATC", talkgroupGroup="Airport", systemLabel="KXYZ",
    )  # fmt: skip
    assert answer.content_type == "text/plain"
    assert answer.text == "Call imported successfully.\n"
    (entry,) = client.get(UPLOAD, headers=people.bearer(admin)).json["transmissions"]
    assert entry["channel"] == "KXYZ Tower"
    assert entry["frequency_mhz"] == 851.0125
    assert entry["at"].startswith("2026-01-31T12:00:00")
    assert entry["source"] == "call-upload"


def test_sdrtrunks_test_and_form(client, people, directory):
    key = people.key(people.user("ada", "admin"), "audio")
    test = client.post(URL, {"key": key, "system": "11", "test": "1"}, upload_files=[("x", "x", b"")], status=417)
    assert test.text.startswith("Incomplete call data: no talkgroup")
    call(client, key, dateTime="2026-01-31T12:00:00Z", data=sound(1.0, "MP3"))
    assert call(client, key, 417, talkgroup=None).text.startswith("Incomplete call data: no talkgroup")
    assert "no audio" in call(client, key, 417, data=b"").text
    assert "dateTime" in call(client, key, 417, dateTime="soon").text
    assert "a day ahead" in call(client, key, 417, dateTime="4000000000").text
    assert "not MP3" in call(client, key, 415, data=b"nothing of ours").text
    assert len(files_in(directory)) == 1


def test_uploads_count_for_the_owner_of_the_key_and_wrong_keys_for_the_address(make_client, directory):
    rates = {"default_throttle_rates__anon": "2/hour", "default_throttle_rates__user": "4/hour"}
    client = make_client(audio_directory=directory, auth_mode="private", **rates)
    people = Population(client.runtime)
    ada, ben = (people.key(people.user(name, "admin"), "audio") for name in ("ada", "ben"))
    for left in (3, 2, 1, 0):
        assert call(client, ada).headers["X-RateLimit-Remaining"] == str(left)
    refused = call(client, ada, 429)
    assert refused.content_type == "text/plain"
    assert int(refused.headers["Retry-After"]) > 0
    call(client, ben)
    call(client, "sk_wrong", 401)
    call(client, "sk_wrong", 401)
    call(client, ben, 429)
    assert len(files_in(directory)) == 1


def test_who_may_not(client, people, directory):
    viewer = people.user("vera", "viewer")
    assert call(client, "sk_wrong", 401).content_type == "text/plain"
    call(client, "", 401)
    call(client, people.key(viewer, "audio"), 403)
    call(client, people.key(people.user("ada", "admin"), "history"), 403)
    call(client, people.token(people.user("otto", "admin")), 401)
    assert files_in(directory) == []


def test_nobody_without_the_permission_gets_a_byte(client, people):
    client.authorization = None
    admin, nobody = people.user("ada", "admin"), people.user("nina")
    call(client, people.key(admin, "audio"))
    (entry,) = client.get(UPLOAD, headers=people.bearer(admin)).json["transmissions"]
    for path in (UPLOAD, f"{UPLOAD}/{entry['id']}", f"{UPLOAD}/{entry['id']}/file", "/api/v1/audio/playlist"):
        client.get(path, status=401)
        client.get(path, headers={"X-API-Key": people.key(admin, "history")}, status=403)
    client.delete(f"{UPLOAD}/{entry['id']}", headers=people.bearer(nobody), status=403)
