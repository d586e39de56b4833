"""The settings of inputs that are wrong, and what the reasons say."""

from __future__ import annotations

import pytest

from skywatch.inputs.factory import open_input
from skywatch.settings import SettingsError
from tests.functional.inputs.collector import Collector, Lines


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty; expected a kind and an address, such as udp 127.0.0.1:5550"),
        ("udb 127.0.0.1:5550", "unknown kind of acars 'udb' \\(did you mean udp\\?\\)"),
        ("udp '127.0.0.1", "quotation mark"),
        ("udp", "expected the host:port to bind"),
        ("udp 127.0.0.1", "expected host:port"),
        ("udp 127.0.0.1:70000", "between 0 and 65535"),
        ("udp 127.0.0.1:1 allow=all", "allow must be addresses or networks"),
        ("udp 127.0.0.1:1 allow=10.0.0.1/8", "allow must be addresses or networks"),
        ("udp 127.0.0.1:1 allow=", "allow must be addresses or networks"),
        ("udp 127.0.0.1:1 alow=10.0.0.0/8", "unknown option alow"),
        ("tcp host:0", "between 1 and 65535"),
        ("tcp host:15550 allow=10.0.0.0/8", "unknown option allow"),
        ("listen", "expected the host:port to listen on"),
        ("listen 0.0.0.0:5555 connections=0", "connections must be between 1 and 4096"),
        ("file", "expected the path"),
        ("file /tmp/x loop", "unknown option loop"),
    ],
)
def test_bad_settings_name_the_setting(text: str, reason: str) -> None:
    # Collector needs no loop until it is used.
    with pytest.raises(SettingsError, match=reason) as caught:
        open_input("acars", "vhf", text, Lines, Collector())
    assert caught.value.name == "acars.vhf"
    assert "\n" not in str(caught.value)
