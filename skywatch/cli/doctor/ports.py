"""The addresses that the service listens on."""

from __future__ import annotations

import errno
import http.client
import socket
from collections.abc import Iterator, Mapping

from skywatch.core.terminal.checks import Finding, fault, ok, warning
from skywatch.http.clients.exposure import ADVICE, exposure
from skywatch.settings import Settings, split_listen

ANSWER_WITHIN_S = 3.0


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
        server = _server(host, port)
        if server.startswith("Skywatch"):
            return warning(
                setting, f"port {port} is in use by a running Skywatch", "nothing, unless a second one was meant"
            )
        used_by = f" ({server})" if server else ""
        return fault(
            setting,
            f"port {port} is in use by another program{used_by}",
            f"stop it, or choose another port for {setting}",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return fault(
            setting, f"port {port} is not for this user", "choose a port above 1023, and a proxy for the standard ones"
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return fault(setting, f"{host} is no address of this machine", "name one, or 127.0.0.1 or 0.0.0.0")
    return fault(setting, f"{host}:{port} cannot be opened: {error.strerror}", f"choose another address for {setting}")


def _server(host: str, port: int) -> str:
    """What a program that listens there calls itself; empty where it does not speak HTTP."""
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = http.client.HTTPConnection(local, port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", "/")
        return connection.getresponse().getheader("Server") or ""
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        connection.close()
