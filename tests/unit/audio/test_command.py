"""``skywatch audio FILE...``."""

from click.testing import CliRunner

from skywatch.audio.command import audio
from tests.audio import recording, sound


def test_it_shows_what_is_recognised(tmp_path, shared_data):
    name = "KXYZ_TWR_20261120_101746_121100000.mp3"
    (tmp_path / name).write_bytes(recording(shared_data, name))
    shown = CliRunner().invoke(audio, [str(tmp_path / name)])
    assert shown.exit_code == 0
    assert "2026-11-20T10:17:46" in shown.output
    assert "KXYZ_TWR, 121.100 MHz" in shown.output
    assert "audio/mpeg, 4.33 s" in shown.output
    assert "LUFS" in shown.output
    assert "█" in shown.output


def test_a_file_that_is_none_is_named_and_the_others_are_shown(tmp_path):
    good, bad = tmp_path / "good.wav", tmp_path / "bad\x1b[31m.txt"
    good.write_bytes(sound(2.0))
    bad.write_bytes(b"nothing to hear")
    shown = CliRunner().invoke(audio, [str(bad), str(good), str(tmp_path / "absent")])
    assert shown.exit_code == 1
    assert "audio/wav, 2.00 s" in shown.output
    assert "bad\\x1b[31m.txt: The file is not MP3" in shown.output
    assert "\x1b" not in shown.output
    assert "2 of 3 files" in shown.output
