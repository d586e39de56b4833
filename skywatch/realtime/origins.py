"""Which web pages may open the channel: those of the service itself and those that CORS allows."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def origin_allowed(origin: str, host: str, allowed: Collection[str], service_ports: Collection[int]) -> bool:
    """Whether a handshake with this ``Origin`` may go on.

    Programs send no origin and pass. A page passes that comes from the host the channel was reached by, on the same
    port or one of ``service_ports`` (the REST API and its console), or whose origin is in ``allowed``; ``*`` in
    ``allowed`` lets all pass.
    """
    if not origin or "*" in allowed:
        return True
    if origin.rstrip("/").lower() in {entry.rstrip("/").lower() for entry in allowed}:
        return True
    try:
        page, here = urlsplit(origin), urlsplit(f"//{host}")
        page_port = page.port or _DEFAULT_PORTS.get(page.scheme)
        here_port = here.port
    except ValueError:
        return False
    if page.hostname is None or page.hostname != here.hostname or page.scheme not in ("http", "https"):
        return False
    if here_port is None:  # The host was reached by the default port of http or of https.
        return page_port in (80, 443) or page_port in service_ports
    return page_port == here_port or page_port in service_ports
