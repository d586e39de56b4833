"""``skywatch demo``: where it listens and whether it opens a page. That it runs is tested in tests/integration."""

from __future__ import annotations

import pytest

from skywatch.cli import demo
from skywatch.features import load_origins
from skywatch.settings import split_listen
from tests.ports import free_port


@pytest.mark.parametrize(
    ("platform", "environ", "shown"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}, False),
        ("win32", {}, True),
    ],
)
def test_a_page_is_opened_where_there_is_a_desktop(monkeypatch, platform, environ, shown):
    monkeypatch.setattr(demo.sys, "platform", platform)
    assert demo.has_desktop(environ) is shown


def test_the_channel_listens_next_to_the_service(monkeypatch):
    port = free_port()
    for name in demo.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LISTEN", f"127.0.0.1:{port}")
    # The port that the channel takes by default is the service's here.
    monkeypatch.setattr(demo, "REALTIME_PORT", port)
    listen, realtime_listen = demo._addresses(load_origins)
    assert listen == f"127.0.0.1:{port}"
    host, realtime_port = split_listen(realtime_listen)
    assert host == "127.0.0.1"
    assert realtime_port != port


def test_both_addresses_can_be_given(monkeypatch, tmp_path):
    path = tmp_path / "listen"
    path.write_text("[::1]:7000\n")
    monkeypatch.delenv("LISTEN", raising=False)
    monkeypatch.setenv("LISTEN_FILE", str(path))
    monkeypatch.setenv("REALTIME_LISTEN", "127.0.0.1:7001")
    assert demo._addresses(load_origins) == ("[::1]:7000", "127.0.0.1:7001")
