"""Settings of audio in the environment."""

from skywatch.audio.settings import AudioSettings
from skywatch.features import load

INI = {"secret": "0123456789abcdef" * 3}


def test_folders_may_come_from_the_environment_and_settings_are_none_of_them():
    settings = load(INI, {"AUDIO_ROOF": "folder /srv/roof", "AUDIO_DIRECTORY": "/srv/audio", "AUDIO_MAX_BYTES": "4096"})
    audio = settings.of(AudioSettings)
    assert audio.audio_inputs == {"roof": "folder /srv/roof"}
    assert (audio.audio_directory, audio.audio_max_bytes) == ("/srv/audio", 4096)
