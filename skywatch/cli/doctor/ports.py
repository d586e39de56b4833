"""The addresses that the service listens on."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from collections.abc import Iterator, Mapping

from skywatch.core.terminal.checks import Finding, fault, ok, warning
from skywatch.http.clients.exposure import ADVICE, exposure
from skywatch.realtime.transports.handshake import WEBSOCKET_ONLY
from skywatch.settings import Settings, split_listen

ANSWER_WITHIN_S = 3.0
HEALTH = "/api/v1/system/health?probe=live"
MAX_ANSWER_BYTES = 65_536


def check_ports(addresses: dict[str, str]) -> Iterator[Finding]:
    """Whether each address is free, or the running service itself has it; ``addresses`` by setting."""
    for setting, address in addresses.items():
        host, port = split_listen(address)
        try:
            _bind(host, port)
        except socket.gaierror:
            yield fault(setting, f"{host} is no address of this machine", "name one, or 127.0.0.1 or 0.0.0.0")
        except OSError as error:
            yield _explain(setting, host, port, error)
        else:
            yield ok(setting, f"{address} is free")


def check_exposure(settings: Settings, addresses: Mapping[str, str]) -> Iterator[Finding]:
    """Whether everybody who reaches an address of this service may use it without credentials."""
    text = exposure(settings, addresses)
    if text is not None:
        yield warning("auth_mode", text, ADVICE)


def _bind(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        # As the service does: a port whose last connections are still being closed is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def _explain(setting: str, host: str, port: int, error: OSError) -> Finding:
    if error.errno == errno.EADDRINUSE:
        if _is_skywatch(host, port):
            return warning(
                setting, f"port {port} is in use by a running Skywatch", "nothing, unless a second one was meant"
            )
        return fault(
            setting,
            f"port {port} is in use by another program",
            f"stop it, or choose another port for {setting}",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return fault(
            setting, f"port {port} is not for this user", "choose a port above 1023, and a proxy for the standard ones"
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return fault(setting, f"{host} is no address of this machine", "name one, or 127.0.0.1 or 0.0.0.0")
    return fault(setting, f"{host}:{port} cannot be opened: {error.strerror}", f"choose another address for {setting}")


def _is_skywatch(host: str, port: int) -> bool:
    """Whether a REST API or a real-time channel of Skywatch answers there: neither names itself in ``Server``."""
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = http.client.HTTPConnection(local, port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", HEALTH)
        text = connection.getresponse().read(MAX_ANSWER_BYTES).decode(errors="replace")
        return text.strip() == WEBSOCKET_ONLY or {"live", "ready", "trackers"} <= set(json.loads(text))
    except (OSError, http.client.HTTPException, ValueError, TypeError, RecursionError):
        return False
    finally:
        connection.close()
