"""What is believed of a transcript: guards, callsigns, words of distress, voice activity."""

import numpy as np
import pytest
import soundfile

from skywatch.audio.recordings.activity import has_voice
from skywatch.audio.transcription.callsigns import read_callsigns
from skywatch.audio.transcription.engines.base import PROMPT, Segment
from skywatch.audio.transcription.guards import believable, has_distress
from tests.audio import recording


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Speedbird two six niner, contact ground", "BAW269"),
        ("Swiss one eight five turn left heading two four zero", "SWR185"),
        ("Lufthansa 4 2 7, good morning", "DLH427"),
        ("Easy sixty nine Charlie Victor descend", "EZY69CV"),
        ("Delta twelve thirty four cleared to land", "DAL1234"),
        ("November one two three alpha bravo ready for departure", "N123AB"),
        ("hotel bravo papa mike echo", "HBPME"),
        ("Air France 1 5 7", "AFR157"),
    ],
)
def test_spoken_callsigns(text, first):
    assert first in read_callsigns(text)


@pytest.mark.parametrize("text", ["", "good morning", "runway two four cleared to land", "heading 270 degrees"])
def test_no_callsigns(text):
    assert read_callsigns(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mayday, mayday, mayday, engine failure", True),
        ("Pan-pan, pan-pan, Speedbird 269", True),
        ("we are declaring an emergency", True),
        ("minimum fuel", True),
        ("see you on Monday", False),
        ("report the pan handle", False),
        ("emergency services are closed", False),
    ],
)
def test_words_of_distress(text, expected):
    assert has_distress(text) is expected


@pytest.mark.parametrize(
    "segment",
    [
        Segment(0, 5, "Thanks for watching!"),
        Segment(0, 5, " ... "),
        Segment(0, 5, "cleared to land", no_speech=0.9, log_probability=-1.5),
        Segment(0, 5, "cleared to land", compression=3.0),
        Segment(0, 60, "go go go go go go go go go go"),
        Segment(0, 60, "turn left " * 12),
        Segment(0, 5, PROMPT),
        Segment(0, 5, "Air traffic control radio."),
        Segment(0, 0.3, "this is far more text than anybody could say in a third of a second"),
    ],
)
def test_invented_text_is_left_out(segment):
    kept, why = believable([segment])
    assert kept == []
    assert why


def test_what_was_spoken_stays():
    spoken = Segment(0, 3, "Swiss 185, contact Zurich", no_speech=0.1, log_probability=-0.3, compression=1.1)
    kept, _ = believable([spoken, Segment(3, 5, "Thank you.")])
    assert kept == [spoken]


def written(tmp_path, samples, rate=8000):
    path = tmp_path / "a.wav"
    soundfile.write(path, samples, rate)
    return path


def vowel(seconds, rate=8000):
    """Something like a vowel: a falling pitch with formants."""
    pitch = np.linspace(140, 110, int(seconds * rate))
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    harmonics = sum(
        np.exp(-(((n * 125 - 600) / 250) ** 2)) * np.sin(n * phase) + 0.1 * np.sin(n * phase) / n for n in range(1, 24)
    )
    return 0.2 * harmonics / np.abs(harmonics).max()


def test_a_voice_is_found_also_in_noise(tmp_path):
    noise = np.random.default_rng(3).normal(0, 0.005, 8000 * 3)
    noise[8000:16000] += vowel(1.0)
    assert has_voice(written(tmp_path, noise))


@pytest.mark.parametrize("kind", ["silence", "noise", "tone", "burst"])
def test_no_voice_is_found_elsewhere(tmp_path, kind):
    random, at = np.random.default_rng(4), np.arange(8000 * 5) / 8000
    bits = np.repeat(random.integers(0, 2, 2400 * 5), 10)[: len(at)]
    samples = {
        "silence": np.zeros(len(at)),
        "noise": random.normal(0, 0.1, len(at)),
        "tone": 0.3 * np.sin(2 * np.pi * 1000 * at),
        "burst": 0.3 * np.sin(2 * np.pi * np.cumsum(np.where(np.resize(bits, len(at)), 1200, 2400)) / 8000),
    }[kind]
    assert not has_voice(written(tmp_path, samples))


@pytest.mark.parametrize("name", ["KXYZ_TWR_20261120_101746_121100000.mp3", "KXYZ_GND_20261120_101748_121600000.mp3"])
def test_no_voice_is_found_in_data_bursts(tmp_path, shared_data, name):
    path = tmp_path / name
    path.write_bytes(recording(shared_data, name))
    assert not has_voice(path)
