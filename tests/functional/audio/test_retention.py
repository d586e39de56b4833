"""Transmissions go by age and by bytes, on both databases, and recordings with the last that uses them."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.audio.models import Transmission
from skywatch.core.clock import utcnow
from skywatch.core.storage.retention import Pruner
from skywatch.features import FEATURES
from tests.audio import UPLOAD, files_in, sound, upload


@pytest.fixture
def client(make_client, directory, database_url):
    return make_client(audio_directory=directory, database_url=database_url)


def prune(client, make_settings, directory, **changes):
    settings = make_settings(audio_directory=directory, **changes)
    engine, sessions = client.runtime.engine, client.runtime.sessions
    Pruner(engine, sessions, settings, FEATURES.retention_kinds(), lambda seconds: False).run()


def receive(client, number, days):
    """A transmission as if it had been received some days ago."""
    with client.runtime.sessions.begin() as session:
        received_at = utcnow() - timedelta(days=days)
        session.execute(sa.update(Transmission).where(Transmission.id == number).values(received_at=received_at))


def test_the_age_is_the_time_since_it_was_received(client, make_settings, directory):
    """A wrong clock of its sender keeps no recording past retention, and an old one that is added today stays."""
    ahead = upload(client, channel="Ahead", at=(utcnow() + timedelta(hours=23)).isoformat()).json
    receive(client, ahead["id"], 31)
    upload(client, channel="Archive", at=(utcnow() - timedelta(days=900)).isoformat())
    prune(client, make_settings, directory, retention_audio_days=30)
    assert listed(client) == ["Archive"]


def listed(client):
    return [entry["channel"] for entry in client.get(UPLOAD, {"limit": 10}).json["transmissions"]]


def test_transmissions_go_by_age_and_by_bytes_and_files_with_the_last_that_uses_them(client, make_settings, directory):
    shared, large = sound(1.0), sound(30.0, hertz=600)
    for days, channel, data in ((40, "Old", shared), (2, "Large", large), (1, "Same", shared), (0, "New", sound(2.0))):
        entry = upload(client, data, channel=channel, at=(utcnow() - timedelta(days=days)).isoformat()).json
        receive(client, entry["id"], days)
    assert len(files_in(directory)) == 3
    prune(client, make_settings, directory, retention_audio_days=0)
    assert listed(client) == ["New", "Same", "Large", "Old"]
    prune(client, make_settings, directory, retention_audio_days=30)
    assert listed(client) == ["New", "Same", "Large"]
    # The old one's bytes are in use by another.
    assert len(files_in(directory)) == 3
    prune(client, make_settings, directory, retention_audio_days=0, retention_audio_mb=0.3)
    assert listed(client) == ["New", "Same"]
    assert len(files_in(directory)) == 2
    for entry in client.get(UPLOAD).json["transmissions"]:
        assert client.get(f"{UPLOAD}/{entry['id']}/file").body
        client.delete(f"{UPLOAD}/{entry['id']}", status=204)
    assert files_in(directory) == []
