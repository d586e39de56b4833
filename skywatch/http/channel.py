"""Where clients find the real-time channel, which has a port of its own or a proxy before it."""

from __future__ import annotations

from urllib.parse import urlsplit

from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen

_DEFAULT_PORTS = {"http": 80, "https": 443}


def channel_address(settings: HttpSettings, reached: str) -> str:
    """The ``ws://`` or ``wss://`` address of the channel without its path; empty where it cannot be known.

    ``realtime_url`` says it. Without, it follows from the public address, which is ``base_url`` or else the address
    that the REST API was ``reached`` by (``http://host:port``). The service speaks no TLS itself, and not on another
    port than that of ``listen``: where the public address does, it is a proxy's, which has the channel on the same
    address. Else the channel is beside the REST API on its own port.
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
        return f"wss://{parts.netloc}"
    if settings.base_url and port != split_listen(settings.listen)[1]:
        return f"ws://{parts.netloc}"
    own_port = split_listen(settings.realtime_listen)[1]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"ws://{host}:{own_port}" if own_port else ""
