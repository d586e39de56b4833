"""The text of an output's setting."""

import pytest

from skywatch.outputs.factory import parse
from skywatch.outputs.feeder import ConnectingFeeder, ListeningFeeder
from skywatch.settings import SettingsError


def test_an_output_that_listens():
    output = parse("mlat", "beast 0.0.0.0:30005 military=no sources=adsb,mode_s allow=10.0.0.0/8 connections=3", None)
    assert isinstance(output, ListeningFeeder)
    assert (output.form, output.selection.military, output.selection.sources) == ("beast", False, {"adsb", "mode_s"})
    status = output.status
    assert (status.family, status.name, status.kind, status.address) == ("output", "mlat", "beast", "0.0.0.0:30005")


def test_an_output_that_connects():
    output = parse("vrs", "sbs to [::1]:30003 military=yes", None)
    assert isinstance(output, ConnectingFeeder)
    assert output.selection.military
    assert output.status.address == "[::1]:30003"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("beats 0.0.0.0:30005", "did you mean beast"),
        ("beast", "expected the host:port to listen on"),
        ("beast to", "expected the host:port to connect to"),
        ("beast to host:0", "the port must be between"),
        ("beast host:70000", "the port must be between"),
        ("beast 0.0.0.0:30005 military=perhaps", "military must be yes or no"),
        ("beast 0.0.0.0:30005 sources=adsb,radar", "there is no source 'radar'"),
        ("sbs to host:30003 allow=10.0.0.0/8", "unknown option allow"),
        ("sbs 0.0.0.0:30003 colour=red", "unknown option colour"),
    ],
)
def test_what_is_wrong_is_named(text, reason):
    with pytest.raises(SettingsError, match=r"output\.x") as refused:
        parse("x", text, None)
    assert reason in str(refused.value)
