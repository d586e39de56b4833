"""The rules of the handshake, before authentication: pure functions.

The paths of the channel, the origins that may open it, and the credentials in headers, URL and cookies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest

from skywatch.accounts.identity.credentials import ACCESS_COOKIE
from skywatch.core.network.addresses import FORWARDING_HEADERS, TrustedProxies
from skywatch.core.problems import Problem
from skywatch.http.clients.locality import MISDIRECTED, Locality
from skywatch.http.clients.origins import AllowedOrigins
from skywatch.http.requests.cookies import parse_cookies
from skywatch.http.settings import HttpSettings
from skywatch.realtime.subscribers.authentication import Offer
from skywatch.realtime.wire import engineio
from skywatch.security.credentials import credential_of_headers, second_credential

SOCKET_IO_PATH = "/socket.io"
# A request of Socket.IO's address, and what tells a WebSocket from a poll there.
_SOCKET_IO = re.compile(rb"[A-Z]{1,16} /socket\.io[/? ]")
_UPGRADE = re.compile(rb"\r\nupgrade:[ \t]*websocket[ \t]*\r\n", re.IGNORECASE)
MISDIRECTED_REQUEST, UPGRADE_REQUIRED = 421, 426
WEBSOCKET_ONLY = "This address speaks WebSocket only; Socket.IO is at /socket.io/."


class HandshakeRequest(Protocol):
    """The request that begins a connection, of WebSocket or of a poll; names of headers are lower case."""

    @property
    def params(self) -> Mapping[str, Sequence[str]]:
        """The query string."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields."""

    @property
    def origin(self) -> str:
        """The page that opens the channel; empty for programs."""


@dataclass(frozen=True)
class Rules:
    """The settings of handshakes."""

    path: str
    origins: AllowedOrigins
    proxies: TrustedProxies
    locality: Locality
    # Whether the access cookie is a credential.
    cookies: bool = False

    @classmethod
    def of(cls, settings: HttpSettings) -> Rules:
        """The rules that the settings name."""
        return cls(
            path=settings.of(HttpSettings).realtime_path.rstrip("/"),
            origins=AllowedOrigins.of(settings),
            proxies=TrustedProxies(settings.trusted_proxy),
            locality=Locality(settings, settings.of(HttpSettings).realtime_listen),
            cookies=settings.jwt_auth_cookie,
        )


def is_poll(data: bytes) -> bool:
    """Whether what a peer has sent so far begins with the whole head of a poll."""
    if _SOCKET_IO.match(data) is None:
        return False
    end = data.find(b"\r\n\r\n")
    return end >= 0 and _UPGRADE.search(data, 0, end + 2) is None


def is_socket_io(request: ConnectionRequest, rules: Rules) -> bool:
    """The requested subprotocol; raises ConnectionDeny where none is supported."""
    path = request.path.rstrip("/")
    if path != SOCKET_IO_PATH:
        if path != rules.path:
            raise ConnectionDeny(404, "Not Found")
        return False
    if request.params.get("EIO", [engineio.VERSION])[-1] != engineio.VERSION:
        raise ConnectionDeny(400, "Unsupported protocol version")
    return True


def refusal(code: int, reason: str, headers: Iterable[tuple[str, str]] = ()) -> bytes:
    """The whole HTTP answer to a handshake that fails; to those who come without WebSocket it says what is needed."""
    lines, text = [*headers, ("Connection", "close")], reason
    if code == UPGRADE_REQUIRED:
        lines = [*headers, ("Connection", "Upgrade, close"), ("Upgrade", "websocket")]
        text = WEBSOCKET_ONLY
    elif code == MISDIRECTED_REQUEST:
        text = MISDIRECTED
    body = f"{text}\n".encode()
    lines += [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return f"HTTP/1.1 {code} {reason}\r\n{head}\r\n".encode() + body


def forwarded_address(request: HandshakeRequest, peer: str, rules: Rules) -> str | None:
    """The client address that a trusted proxy forwards; None if the peer is not a proxy."""
    if peer not in rules.proxies:
        return None
    return rules.proxies.client_address(peer, request.headers.get("x-forwarded-for"))


def is_local(request: HandshakeRequest, peer: str, rules: Rules) -> bool:
    """Whether the client is on this machine, and does not come by a proxy on it."""
    return rules.locality.is_local(peer, request.headers.get("host"), forwarded=_is_forwarded(request))


def is_misdirected(request: HandshakeRequest, peer: str, rules: Rules) -> bool:
    """Whether the request names a host that a service of this machine alone does not answer to."""
    return rules.locality.is_misdirected(peer, request.headers.get("host"), forwarded=_is_forwarded(request))


def _is_forwarded(request: HandshakeRequest) -> bool:
    return any(name in request.headers for name in FORWARDING_HEADERS)


def page_allowed(request: HandshakeRequest, rules: Rules) -> bool:
    """Whether the page that opens the channel may; programs, which name no origin, may."""
    return rules.origins.may_connect(request.origin, request.headers.get("host", ""))


def offer_of(request: HandshakeRequest, rules: Rules) -> Offer | Problem:
    """The credentials that the handshake brings, or why they cannot be taken."""
    try:
        credential = credential_of_headers(request.headers.get("authorization"), request.headers.get("x-api-key"))
    except Problem as problem:
        return problem
    tokens = request.params.get("token")
    if "anonymous" in request.params:
        # A page that shows what nobody in particular may see cannot keep the browser from sending the cookie.
        return (
            Offer()
            if not tokens and credential is None
            else second_credential("querystring", "anonymous", "comes with a credential")
        )
    if tokens:
        if credential is not None or len(tokens) > 1:
            return second_credential("querystring", "token", "is a second credential")
        credential = str(tokens[0])
    return Offer(credential, _access_cookie(request, rules), leaks=bool(tokens))


def _access_cookie(request: HandshakeRequest, rules: Rules) -> str | None:
    """The access token of the cookie, where the page that opens the channel may act for its user.

    A browser sends cookies whichever page opens a WebSocket, and CORS does not prevent another site's page from reading
    the messages. But it always sends the page's origin: without an allowed origin the cookie is ignored.
    """
    header = request.headers.get("cookie")
    if not rules.cookies or not header:
        return None
    if not rules.origins.may_connect_by_cookie(request.origin, request.headers.get("host", "")):
        return None
    return parse_cookies(header).get(ACCESS_COOKIE) or None
