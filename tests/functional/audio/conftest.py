"""A client whose recordings are in the test's own folder."""

import pytest


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "audio"


@pytest.fixture
def client(make_client, directory):
    return make_client(audio_directory=directory)
