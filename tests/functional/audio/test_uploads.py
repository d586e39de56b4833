"""Adding, listing, serving and deleting transmissions over REST."""

import hashlib
import io
import struct
import threading
import tracemalloc
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import soundfile

from skywatch.core.clock import utcnow
from tests.accounts import Population
from tests.audio import UPLOAD, V1, files_in, recording, sound, upload


def test_an_upload_is_stored_under_its_hash_and_measured(client, directory):
    data = sound(2.0)
    made = upload(client, data, channel=" Zurich  Tower ", frequency_mhz="118.1", at="2026-01-31T12:00:00Z")
    body = made.json
    assert made.headers["Location"].endswith(f"{UPLOAD}/{body['id']}")
    assert body["channel"] == "Zurich Tower"
    assert body["frequency_mhz"] == 118.1
    assert body["at"].startswith("2026-01-31T12:00:00")
    assert body["duration_s"] == 2.0
    assert body["media_type"] == "audio/wav"
    assert body["bytes"] == len(data)
    assert body["sha256"] == hashlib.sha256(data).hexdigest()
    assert body["peak_db"] == pytest.approx(-20, abs=0.1)
    assert len(body["waveform"]) == 200
    assert body["status"] == "none"
    assert body["source"] == "upload"
    (path,) = files_in(directory)
    assert path.endswith(f"/{body['sha256']}.wav")
    assert path.count("/") == 3
    assert client.get(f"{UPLOAD}/{body['id']}").json == body


@pytest.mark.parametrize(("kind", "media_type"), [("FLAC", "audio/flac"), ("OGG", "audio/ogg"), ("MP3", "audio/mpeg")])
def test_every_kind_is_recognised_by_its_content(client, kind, media_type):
    body = upload(client, sound(3.0, kind), name="misleading.wav").json
    assert body["media_type"] == media_type
    assert body["duration_s"] == pytest.approx(3.0, abs=0.15)
    served = client.get(f"{UPLOAD}/{body['id']}/file")
    assert served.content_type == media_type
    assert served.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("KXYZ_TWR_20261120_101746_121100000.mp3", 4.326),
        ("KXYZ_TWR_20261120_101754_121100000.mp3", 2.454),
        ("KXYZ_GND_20261120_101748_121600000.mp3", 4.326),
    ],
)
def test_real_recordings_are_taken(client, shared_data, name, seconds):
    body = upload(client, recording(shared_data, name)).json
    assert body["duration_s"] == pytest.approx(seconds, abs=0.15)
    assert body["flags"] == []
    assert -30 < body["loudness_lufs"] < -10


def test_loudness_of_the_reference_signal(client):
    # EBU Tech 3341, case 1: a stereo sine of 1 kHz at -23 dBFS reads -23 LUFS.
    tone = 10 ** (-23 / 20) * np.sin(2 * np.pi * 1000 * np.arange(48_000 * 5) / 48_000)
    file = io.BytesIO()
    soundfile.write(file, np.stack([tone, tone], 1), 48_000, format="WAV", subtype="FLOAT")
    assert upload(client, file.getvalue()).json["loudness_lufs"] == pytest.approx(-23, abs=0.1)


def test_silence_has_no_level(client):
    body = upload(client, sound(1.0, level=0.0)).json
    assert body["peak_db"] is None
    assert body["loudness_lufs"] is None
    assert set(body["waveform"]) == {0}


def test_the_same_bytes_twice_are_two_transmissions_and_one_file(client, directory):
    first, second = upload(client).json, upload(client, channel="Ground").json
    assert first["id"] != second["id"]
    assert len(files_in(directory)) == 1
    client.delete(f"{UPLOAD}/{first['id']}", status=204)
    assert client.get(f"{UPLOAD}/{second['id']}/file").body == sound()
    client.delete(f"{UPLOAD}/{second['id']}", status=204)
    assert files_in(directory) == []
    assert [path for path in directory.rglob("*") if path.name != "incoming"] == []
    client.get(f"{UPLOAD}/{second['id']}", status=404)
    assert upload(client).json["id"] > second["id"]
    assert len(files_in(directory)) == 1


def wav_head(size):
    return b"RIFF" + struct.pack("<I", size) + b"WAVEfmt "


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"", 415, "empty"),
        (b"GIF89a" + bytes(200), 415, "not MP3, Ogg, FLAC, WAV, MPEG-4, AAC or WebM"),
        (b"<html>no</html>", 415, "not MP3"),
        (wav_head(100), 415, "cannot be decoded"),
        (b"OggS" + bytes(100), 415, "cannot be decoded"),
        (sound(1.0, rate=8000)[:44], 415, "no sound"),
        (b"ID3" + bytes(500), 415, ""),
    ],
)
def test_bad_files_are_refused_and_leave_nothing(client, directory, data, status, words):
    problem = upload(client, data, status=status).json
    assert problem["code"] == "unsupported_media_type"
    assert words in problem["detail"]
    assert files_in(directory) == []
    assert client.get(UPLOAD).json["count"] == 0


@pytest.mark.deep("decodes hours")
def test_a_small_file_that_decodes_to_hours_costs_no_memory(client, directory):
    file = io.BytesIO()
    with soundfile.SoundFile(file, "w", 8000, 1, format="FLAC") as bomb:
        for _ in range(100):
            bomb.write(np.zeros(8000 * 60, "i2"))
    data = file.getvalue()
    # The length in the head says nothing: what is decoded counts.
    lying = bytearray(data)
    lying[21] &= 0xF0
    lying[22:26] = bytes(4)
    assert len(data) < 2_000_000
    for bomb in (data, bytes(lying)):
        tracemalloc.start()
        problem = upload(client, bomb, status=413).json
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert "10 minutes" in problem["detail"]
        assert peak < 60_000_000
    assert files_in(directory) == []


def test_a_file_beyond_the_limit_is_refused(make_client, directory):
    client = make_client(audio_directory=directory, audio_max_bytes=10_000)
    problem = upload(client, sound(2.0), status=413).json
    assert problem["code"] == "payload_too_large"
    assert "10000" in problem["detail"]
    upload(client, bytes(500_000), status=413)
    assert files_in(directory) == []


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "MP3"])
def test_of_a_truncated_file_counts_what_decodes(client, kind):
    # Noise: encoders make nothing of a tone.
    samples = np.random.default_rng(1).normal(0, 0.1, 8000 * 10)
    file = io.BytesIO()
    soundfile.write(file, samples, 8000, format=kind)
    data = file.getvalue()
    body = upload(client, data[: len(data) // 2]).json
    assert body["flags"] == ["truncated"]
    assert 3 < body["duration_s"] < 7


def test_fields_are_checked_and_every_fault_is_named(client, directory):
    problem = upload(client, status=400, channel="", frequency_mhz="many", at="soon", colour="red").json
    assert {error["name"] for error in problem["errors"]} == {"channel", "frequency_mhz", "at", "colour"}
    assert files_in(directory) == []
    client.post(UPLOAD, {"channel": "x"}, status=415)
    client.post_json(UPLOAD, {"channel": "x"}, status=415)
    ahead = (utcnow() + timedelta(days=1, minutes=5)).isoformat()
    (error,) = upload(client, status=400, at=ahead).json["errors"]
    assert (error["name"], error["detail"].partition(";")[0]) == ("at", "must be at most a day ahead")
    upload(client, at=(utcnow() + timedelta(hours=23)).isoformat())
    missing = client.post(UPLOAD, {"channel": "x"}, upload_files=[("other", "a.wav", b"x")], status=400).json
    assert missing["errors"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--B\r\n",
        b"--B\r\nContent-Disposition: form-data; name=audio; filename=a\r\n\r\nRIFF",
        b"--B\r\n" * 1000,
        b"".join(b'--B\r\nContent-Disposition: form-data; name="n%d"\r\n\r\nx\r\n' % n for n in range(100))
        + b"--B--\r\n",
    ],
)
def test_forms_that_cannot_be_read_are_refused(client, directory, body):
    answer = client.post(UPLOAD, body, headers={"Content-Type": "multipart/form-data; boundary=B"}, status=400)
    assert answer.json["code"] in ("malformed_body", "validation_failed")
    assert files_in(directory) == []


def test_a_name_with_paths_and_control_characters_names_nothing(client, directory):
    upload(client, name="../../../etc/passwd\x07.wav")
    (path,) = files_in(directory)
    assert path.endswith(".wav")
    assert "passwd" not in path


def test_ranges_as_browsers_ask(client):
    data = sound(1.0)
    body = upload(client, data).json
    url = f"{UPLOAD}/{body['id']}/file"
    whole = client.get(url)
    assert whole.body == data
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert whole.headers["ETag"] == f'"{body["sha256"]}"'
    assert whole.headers["Content-Disposition"] == "inline"
    assert "no-cache" in whole.headers["Cache-Control"]
    size = len(data)
    for asked, begin, end in [
        ("bytes=0-", 0, size - 1),
        ("bytes=0-1", 0, 1),
        ("bytes=100-199", 100, 199),
        ("bytes=-10", size - 10, size - 1),
        ("bytes=100-999999999", 100, size - 1),
        (f"bytes=-{size * 2}", 0, size - 1),
    ]:
        part = client.get(url, headers={"Range": asked}, status=206)
        assert part.body == data[begin : end + 1]
        assert part.headers["Content-Range"] == f"bytes {begin}-{end}/{size}"
        assert part.content_length == end - begin + 1
    for asked in (f"bytes={size}-", "bytes=-0"):
        refused = client.get(url, headers={"Range": asked}, status=416)
        assert refused.headers["Content-Range"] == f"bytes */{size}"
        assert refused.json["code"] == "range_not_satisfiable"
    for asked in ("bytes=5-2", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b", "bytes=-"):
        assert client.get(url, headers={"Range": asked}, status=200).body == data
    assert client.get(url, headers={"If-None-Match": whole.headers["ETag"]}, status=304).body == b""
    assert client.get(url, headers={"Range": "bytes=0-1", "If-Range": '"other"'}, status=200).body == data
    client.get(url, headers={"Range": "bytes=0-1", "If-Range": whole.headers["ETag"]}, status=206)
    head = client.head(url)
    assert head.content_length == size
    assert head.body == b""


def test_the_list_and_its_filters(client):
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    for number in range(6):
        upload(
            client,
            sound(1.0 + number),
            channel="Tower" if number % 2 else "Ground",
            frequency_mhz="118.1" if number % 2 else "121.9",
            at=(noon + timedelta(minutes=number)).isoformat(),
        )
    everything = client.get(UPLOAD).json
    assert everything["count"] == 6
    assert [entry["duration_s"] for entry in everything["transmissions"]] == [6, 5, 4, 3, 2, 1]
    assert "waveform" not in everything["transmissions"][0]

    def found(**query):
        return [entry["duration_s"] for entry in client.get(UPLOAD, query).json["transmissions"]]

    assert found(channel="Tower") == [6, 4, 2]
    assert found(frequency_mhz="121.9") == [5, 3, 1]
    assert found(min_duration_s="4.5") == [6, 5]
    assert found(status="done") == []
    assert found(**{"from": "2026-01-31T12:02:00Z", "to": "2026-01-31T12:04:00Z"}) == [4, 3]
    assert found(q="100%") == []
    assert found(icao_hex="4b1620") == []
    assert len(client.get(UPLOAD, {"waveform": "true"}).json["transmissions"][0]["waveform"]) == 200
    client.get(UPLOAD, {"status": "odd"}, status=400)
    url, seen = f"{UPLOAD}?limit=4", []
    while url:
        page = client.get(url).json
        seen += [entry["duration_s"] for entry in page["transmissions"]]
        url = page["next"]
    assert seen == [6, 5, 4, 3, 2, 1]


def test_channels_stats_and_playlist(client):
    for number, channel in enumerate(("Tower", "Ground", "Tower")):
        upload(client, sound(1.0 + number), channel=channel, frequency_mhz="118.1", at=f"2026-01-31T12:0{number}:00Z")
    channels = client.get(f"{V1}/channels").json
    assert [(c["channel"], c["transmissions"], c["duration_s"]) for c in channels["channels"]] == [
        ("Ground", 1, 2.0),
        ("Tower", 2, 4.0),
    ]
    stats = client.get(f"{V1}/stats").json
    assert (stats["transmissions"], stats["duration_s"], stats["channels"]) == (3, 6.0, 2)
    assert stats["by_status"]["none"] == 3
    assert stats["transcription"] == "none"
    assert client.get(f"{V1}/stats", {"from": "2026-02-01T00:00:00Z"}).json["transmissions"] == 0
    playlist = client.get(f"{V1}/playlist", {"channel": "Tower"}).json
    assert [item["duration_s"] for item in playlist["items"]] == [1.0, 3.0]
    assert playlist["duration_s"] == 4.0
    assert client.get(playlist["items"][1]["file"]).body == sound(3.0)


def test_transcribing_needs_an_engine(client):
    number = upload(client).json["id"]
    assert client.post(f"{UPLOAD}/{number}/transcribe", status=503).json["code"] == "unavailable"


def test_subscribers_get_the_transmission(client):
    messages = []
    client.runtime.bus.subscribe(["audio"], messages.append)
    made = upload(client).json
    (message,) = messages
    assert message.event == "audio:transmission"
    assert f'"id":{made["id"]}'.encode() in message.data
    assert b"waveform" not in message.data


def test_uploads_at_the_same_time_and_deletions_lose_nothing(make_client, directory):
    client = make_client(audio_directory=directory)
    faults = []

    def work():
        try:
            for _ in range(5):
                made = upload(client).json
                client.get(f"{UPLOAD}/{made['id']}/file", status=200)
                client.delete(f"{UPLOAD}/{made['id']}", status=204)
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert files_in(directory) == []


def test_in_mode_public_anybody_listens_and_only_a_holder_adds_and_deletes(client):
    assert client.runtime.settings.auth_mode == "public"
    people = Population(client.runtime)
    made = upload(client).json
    client.authorization = None
    where = f"{UPLOAD}/{made['id']}"
    assert client.get(where).json["id"] == made["id"]
    viewer = people.bearer(people.user("vera", "viewer"))
    for headers, status in (({}, 401), (viewer, 403)):
        upload(client, status=status, headers=headers)
        client.delete(where, headers=headers, status=status)
        client.post(f"{where}/transcribe", headers=headers, status=status)
    assert client.get(UPLOAD).json["count"] == 1
    client.delete(where, headers=people.bearer(people.user("ada", "admin")), status=204)
