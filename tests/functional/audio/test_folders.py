"""Folders of recordings: each file once, whatever happens to the folder."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from skywatch.audio.folders import folders as audio_folders
from skywatch.audio.folders.folders import open_input
from skywatch.core.clock import utcnow
from skywatch.inputs.transports import folders
from skywatch.settings import SettingsError
from tests.audio import UPLOAD, recording, sound
from tests.waiting import PATIENCE_S

NAMES = (
    "KXYZ_TWR_20261120_101746_121100000.mp3",
    "KXYZ_TWR_20261120_101754_121100000.mp3",
    "KXYZ_GND_20261120_101748_121600000.mp3",
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(folders, "SCAN_EVERY_S", 0.05)
    monkeypatch.setattr(folders, "CLOSED_AFTER_S", 0.3)


@pytest.fixture
def client(make_client, directory):
    return make_client(audio_directory=directory, retention_audio_days=0)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "recordings"
    path.mkdir()
    return path


def follow(client, text, until, name="roof"):
    """Run an input until a condition on it holds and it has nothing left to read."""
    one = open_input(client.runtime, name, text)

    async def run():
        task = asyncio.create_task(one.run())
        deadline = time.monotonic() + PATIENCE_S
        while not (until(one) and one._consumer._queue.empty()):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        # What else is in the folder has its chance.
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    one._consumer.close()
    return one


def listed(client):
    return client.get(UPLOAD).json["transmissions"]


def test_real_names_times_and_frequencies(client, folder, shared_data):
    for name in NAMES:
        (folder / name).write_bytes(recording(shared_data, name))
    one = follow(client, f"folder {folder}", lambda one: one.status.stored == 3)
    assert one.status.state == "connected"
    entries = [(e["channel"], e["frequency_mhz"], e["at"][:19], e["source"]) for e in listed(client)]
    assert entries == [
        ("KXYZ_TWR", 121.1, "2026-11-20T10:17:54", "folder:roof"),
        ("KXYZ_GND", 121.6, "2026-11-20T10:17:48", "folder:roof"),
        ("KXYZ_TWR", 121.1, "2026-11-20T10:17:46", "folder:roof"),
    ]
    assert sorted(path.name for path in folder.iterdir()) == sorted(NAMES)


def test_a_time_to_come_is_replaced_by_that_of_the_last_change_and_by_now(client, folder):
    (folder / "TWR_21000101_000000.wav").write_bytes(sound(1.0))
    both = folder / "GND_21000101_000000.wav"
    both.write_bytes(sound(2.0))
    os.utime(folder / "TWR_21000101_000000.wav", (1_700_000_000, 1_700_000_000))
    os.utime(both, (4_000_000_000, 4_000_000_000))
    follow(client, f"folder {folder}", lambda one: one.status.stored == 2)
    at = {entry["channel"]: entry["at"] for entry in listed(client)}
    assert at["TWR"].startswith("2023-11-14T22:13:20")
    assert at["GND"][:4] == str(utcnow().year)


@pytest.mark.deep("reads folders again and again")
def test_nothing_is_added_twice(client, folder, tmp_path):
    (folder / "day").mkdir()
    (folder / "day" / "TWR_20261120_101746.wav").write_bytes(sound(1.0))
    (folder / "GND_20261120_101746.wav").write_bytes(sound(2.0))
    follow(client, f"folder {folder}", lambda one: one.status.stored == 2)
    again = follow(client, f"folder {folder}", lambda one: one.status.messages == 2)
    assert again.status.stored == 0
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved, copy_function=shutil.copyfile)
    (moved / "new.wav").write_bytes(sound(3.0))
    other = follow(client, f"folder {moved} channel=Field", lambda one: one.status.stored == 1, name="other")
    assert other.status.messages == 3
    assert sorted(e["channel"] for e in listed(client)) == ["Field", "GND", "TWR"]
    # Deleted by a person: it does not come back.
    client.delete(f"{UPLOAD}/{listed(client)[0]['id']}")
    assert follow(client, f"folder {moved}", lambda one: one.status.messages == 3).status.stored == 0


def test_a_file_that_is_written_is_left_alone(client, folder):
    data = sound(4.0)
    unfinished = folder / "TWR_20261120_101746.wav.tmp"
    unfinished.write_bytes(data[: len(data) // 2])
    (folder / ".hidden.wav").write_bytes(data)
    os.symlink(folder / ".hidden.wav", folder / "link.wav")

    def until(one):
        if unfinished.exists() and one.status.is_active:
            assert listed(client) == []
            with unfinished.open("ab") as file:
                file.write(data[len(data) // 2 :])
            unfinished.rename(folder / "TWR_20261120_101746.wav")
        return one.status.stored == 1

    follow(client, f"folder {folder}", until)
    (entry,) = listed(client)
    assert entry["duration_s"] == 4.0
    assert entry["flags"] == []


@pytest.mark.deep("starts the decoder again and again")
def test_a_bad_file_is_refused_once_and_the_others_go_on(client, folder):
    (folder / "a.txt").write_bytes(b"nothing to hear")
    (folder / "b.wav").write_bytes(sound())
    one = follow(client, f"folder {folder}", lambda one: one.status.stored == 1 and one.status.invalid)
    assert one.status.invalid == {"unsupported_media_type": 1}
    assert "a.txt" in one.status.last_error
    again = follow(client, f"folder {folder}", lambda one: one.status.messages == 2)
    assert again.status.invalid == {}


def test_an_unreadable_file_holds_up_no_other_and_is_taken_once_it_can_be_read(client, folder, monkeypatch):
    monkeypatch.setattr(audio_folders, "AGAIN_S", 0.1)
    (folder / "a.wav").write_bytes(sound(1.0))
    (folder / "b.wav").write_bytes(sound(2.0))
    unreadable = {folder / "a.wav"}
    opened = Path.open

    def refuse(path, *args, **kw):
        if path in unreadable:
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **kw)

    monkeypatch.setattr(Path, "open", refuse)

    def until(one):
        if one.status.stored == 1 and one.status.invalid:
            assert one.status.invalid == {"unreadable": 1}
            assert one.status.last_error == "a.wav: cannot be read: Permission denied"
            unreadable.clear()
        return one.status.stored == 2

    follow(client, f"folder {folder}", until)
    assert sorted(entry["duration_s"] for entry in listed(client)) == [1.0, 2.0]


@pytest.mark.deep("an hour of transmissions")
def test_an_hour_of_transmissions(client, folder):
    """rtl_airband for an hour: a transmission a minute, written aside and renamed."""
    written = []

    def until(one):
        if len(written) < 60:
            name = f"TWR_20261120_10{len(written):02}00_118100000.mp3"
            part = folder / f"{name}.tmp"
            part.write_bytes(sound(1.0, hertz=300 + 10 * len(written)))
            part.rename(folder / name)
            written.append(name)
        return one.status.stored == 60

    follow(client, f"folder {folder}", until)
    page = client.get(UPLOAD).json
    assert page["count"] == 60
    assert [e["at"][14:16] for e in page["transmissions"]] == [f"{minute:02}" for minute in range(59, -1, -1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("folder", "path"),
        ("folder channel=x", "path"),
        ("pipe /tmp", "unknown kind"),
        ("folder /tmp colour=red", "unknown option colour"),
        ("folder /tmp timezone=Europe/Nowhere", "unknown time zone"),
        ("folder /tmp channel=", "channel must be"),
    ],
)
def test_wrong_settings_name_what_is_wrong(runtime, text, words):
    with pytest.raises(SettingsError, match=r"setting audio\.roof") as refused:
        open_input(runtime, "roof", text)
    assert words in str(refused.value)
