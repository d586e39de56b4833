"""The address of the real-time channel, which has a port of its own or a proxy in front of it."""

from __future__ import annotations

from urllib.parse import urlsplit

from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen

_DEFAULT_PORTS = {"http": 80, "https": 443}


def channel_address(settings: HttpSettings, reached: str, prefix: str = "") -> str:
    """The ``ws://`` or ``wss://`` address of the channel without its path; empty if it is unknown.

    It is ``realtime_url``, if set. Otherwise it follows from the public address: ``base_url``, or else the address
    that the REST API was ``reached`` by (``http://host:port``). The service has no TLS of its own and listens on the
    port of ``listen`` only: a public address with TLS or another port is that of a proxy, which serves the channel at
    the same address. So is one below a path ``prefix``, with the channel below the same prefix. Otherwise the channel
    is at the same host, on its own port.
    """
    if settings.realtime_url:
        return settings.realtime_url.rstrip("/")
    parts = urlsplit(settings.base_url or reached)
    try:
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    if parts.scheme == "https":
        return f"wss://{parts.netloc}{prefix}"
    if prefix or (settings.base_url and port != split_listen(settings.listen)[1]):
        return f"ws://{parts.netloc}{prefix}"
    own_port = split_listen(settings.realtime_listen)[1]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"ws://{host}:{own_port}" if own_port else ""
