"""The one HTTP client for calls that leave the service: to identity providers, webhooks and push services.

One deadline covers the whole call, the answer has a limit, redirects are answers like any other, and no proxy or
credential of the environment is used. A name is resolved once; where the target has a policy every address of the name
is checked, and the connection is made to an address that was checked, under the name's Host and certificate.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import httpcore
import httpx

from skywatch.core.network.certificates import tls_fault
from skywatch.core.network.targets import Address, AddressRefused, TargetPolicy, read_url

T = TypeVar("T")
# An address that does not answer leaves time for the name's other addresses (s).
CONNECT_S = 5.0
BROKE = "The connection broke."


class CallFailed(Exception):
    """No answer; ``str()`` is the reason in a few words without any address."""


class DeadlineExceeded(CallFailed):
    """The deadline passed before the whole answer was there."""


class AnswerTooLarge(CallFailed):
    """The answer is larger than the limit."""


@dataclass(frozen=True)
class Answer:
    """A whole answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Resolver(Protocol):
    """Looks names up for persons."""

    def look_up(self, person: str, host: str, port: int) -> Future[list[Any]]:
        """The rows of ``socket.getaddrinfo``, or what it raises; returns at once. ``person`` empty is the service."""


class OutgoingClient:
    """Makes single calls; each has a connection of its own. Safe to use from any thread."""

    def __init__(
        self,
        *,
        timeout_s: float,
        maximum_bytes: int,
        policy: TargetPolicy | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        """``policy`` None is for addresses that the administrator has configured.

        ``resolver`` looks names up; without one each event loop has its own, which suits loops of one call.
        """
        self.timeout_s = timeout_s
        self._maximum_bytes = maximum_bytes
        self._resolver = resolver
        self._policy = policy
        # Costly to make, and the same for every call.
        self._tls = httpx.create_ssl_context()

    async def send(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        person: str = "",
    ) -> Answer:
        """Raises AddressRefused, DeadlineExceeded, AnswerTooLarge or CallFailed; ``person`` is whose address it is."""
        url = read_url(address)
        if self._policy is not None:
            self._policy.check_host(url.host)
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._send(method, url, headers or {}, content, person)
        except (TimeoutError, httpcore.TimeoutException):
            raise DeadlineExceeded(f"No answer within {self.timeout_s:g} s.") from None
        except socket.gaierror:
            raise CallFailed("The name cannot be resolved.") from None
        except ssl.SSLError as error:
            raise CallFailed(_sentence(tls_fault(error))) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError, UnicodeError) as error:
            raise CallFailed(_reason(error)) from None

    def call(
        self, method: str, address: str, headers: Mapping[str, str] | None = None, content: bytes | None = None
    ) -> Answer:
        """``send`` for a thread that runs no event loop."""
        return _finish(self.send(method, address, headers, content))

    async def _send(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], content: bytes | None, person: str
    ) -> Answer:
        # Unpacked: a few packed bytes can become more than fits into memory.
        plain = {"Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity", "Connection": "close"}
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        backend = _CheckedBackend(self._policy, self._resolver, person)
        pool = httpcore.AsyncConnectionPool(ssl_context=self._tls, network_backend=backend, retries=0)
        async with (
            pool,
            pool.stream(method, target, headers=list({**plain, **headers}.items()), content=content) as got,
        ):
            body = b""
            try:
                async for piece in got.aiter_stream():
                    body += piece
                    if len(body) > self._maximum_bytes:
                        raise AnswerTooLarge("The answer is too large.")
            except httpcore.RemoteProtocolError:
                # It began as HTTP and ends before its end.
                raise CallFailed(BROKE) from None
            names = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in got.headers}
            return Answer(got.status, names, body)


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name once, checks what it resolves to and connects to one of those addresses."""

    def __init__(self, policy: TargetPolicy | None, resolver: Resolver | None, person: str) -> None:
        self._policy = policy
        self._resolver = resolver
        self._person = person
        self._plain = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = await self._resolve(host, port)
        if self._policy is not None and not all(map(self._policy.allows, addresses)):
            raise AddressRefused
        failure: Exception = httpcore.ConnectError("no address")
        for address in addresses:
            try:
                return await self._plain.connect_tcp(str(address), port, CONNECT_S, None, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _resolve(self, host: str, port: int) -> list[Address]:
        def look_up() -> list[Any]:
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)

        if self._resolver is not None:
            rows = await asyncio.wrap_future(self._resolver.look_up(self._person, host, port))
        else:
            rows = await asyncio.get_running_loop().run_in_executor(None, look_up)
        return [ipaddress.ip_address(text.partition("%")[0]) for text in dict.fromkeys(str(row[4][0]) for row in rows)]


def _reason(error: BaseException) -> str:
    """A few words of our own: the system's messages may name addresses."""
    if isinstance(error, httpcore.ConnectError):
        cause = error.__cause__ or error.__context__
        # What is wrong with TLS arrives wrapped.
        while cause is not None:
            if isinstance(cause, ssl.SSLError):
                return _sentence(tls_fault(cause))
            cause = cause.__cause__ or cause.__context__
        return "The connection cannot be made."
    if isinstance(error, httpcore.ProtocolError):
        return "The answer is not HTTP."
    return BROKE


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _finish(call: Coroutine[Any, Any, T]) -> T:
    """Run a call to its end in an event loop of its own.

    Unlike ``asyncio.run`` this waits for no thread: the system's name lookup cannot be interrupted, only left behind.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(call)
    finally:
        loop.close()
