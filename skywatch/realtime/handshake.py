"""What the handshake of a connection decides, before anybody has said who they are: rules and pure functions.

Where the channel is, which pages may open it, what the headers, the address and the cookies bring as credentials.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest
from webob.cookies import RequestCookies

from skywatch.accounts.methods import ACCESS_COOKIE
from skywatch.core.problems import Problem
from skywatch.realtime.authentication import Offer, credential_of_headers
from skywatch.realtime.limits import Network, client_address, is_proxy, networks
from skywatch.realtime.origins import origin_allowed
from skywatch.realtime.protocols import engineio
from skywatch.settings import Settings, split_listen

SOCKET_IO_PATH = "/socket.io"
UPGRADE_REQUIRED = 426


@dataclass(frozen=True)
class Rules:
    """What the settings say about handshakes."""

    path: str
    # Origins that may open the channel from other places: what CORS allows, and the service's public address.
    origins: tuple[str, ...]
    # Ports of the same host whose pages may open the channel: the REST API and its console.
    service_ports: frozenset[int]
    trusted: tuple[Network, ...] = ()
    # Whether the access cookie is a credential, for pages of which origins, and for those of the host reached too.
    cookies: bool = False
    cookie_origins: tuple[str, ...] = ()
    cookies_of_host: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Rules:
        """The rules that the settings name."""
        public = _public_origins(settings)
        listed = tuple(settings.cors_allowed_origins)
        return cls(
            path=settings.realtime_path.rstrip("/"),
            origins=("*",) if settings.cors_allow_all_origins else (*listed, *public),
            service_ports=frozenset({split_listen(settings.listen)[1]}),
            trusted=networks(settings.trusted_proxy),
            cookies=settings.jwt_auth_cookie,
            cookie_origins=(*listed, *public) if settings.cors_allow_credentials else public,
            cookies_of_host=not public,
        )


def _public_origins(settings: Settings) -> tuple[str, ...]:
    if not settings.base_url:
        return ()
    parts = urlsplit(settings.base_url)
    return (f"{parts.scheme}://{parts.netloc}",)


def is_socket_io(request: ConnectionRequest, rules: Rules) -> bool:
    """Which of the protocols is wanted; raises ConnectionDeny where it is none that is spoken here."""
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
        text = 'This address speaks WebSocket only; a Socket.IO client needs transports: ["websocket"].'
    body = f"{text}\n".encode()
    lines += [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return f"HTTP/1.1 {code} {reason}\r\n{head}\r\n".encode() + body


def forwarded_address(request: ConnectionRequest, peer: str, rules: Rules) -> str | None:
    """Whose connection a trusted proxy forwards; None where the peer is no proxy."""
    if not is_proxy(peer, rules.trusted):
        return None
    return client_address(peer, request.headers.get("x-forwarded-for"), rules.trusted)


def page_allowed(request: ConnectionRequest, rules: Rules) -> bool:
    """Whether the page that opens the channel may; programs, which name no origin, may."""
    host = request.headers.get("host", "")
    return origin_allowed(request.origin or "", host, rules.origins, rules.service_ports)


def offer_of(request: ConnectionRequest, rules: Rules) -> Offer | Problem:
    """The credentials that the handshake brings, or why they cannot be taken."""
    try:
        credential = credential_of_headers(request.headers)
    except Problem as problem:
        return problem
    tokens = request.params.get("token")
    if tokens:
        if credential is not None or len(tokens) > 1:
            return Problem("token_invalid", "Send one credential, not two.")
        credential = str(tokens[0])
    return Offer(credential, _access_cookie(request, rules), leaks=bool(tokens))


def _access_cookie(request: ConnectionRequest, rules: Rules) -> str | None:
    """The access token of the cookie, where the page that opens the channel may act for its user.

    A browser sends cookies along whichever page opens a WebSocket, and no CORS keeps another site's page from
    reading what comes. It says truly which page that is, though: without an allowed origin there is no cookie.
    """
    header, origin = request.headers.get("cookie"), request.origin
    if not rules.cookies or not header or not origin:
        return None
    allowed = origin.lower() in {entry.lower() for entry in rules.cookie_origins}
    if not allowed and rules.cookies_of_host:
        # No public address is set: pages of the host that the browser itself says it has reached.
        allowed = origin_allowed(origin, request.headers.get("host", ""), (), rules.service_ports)
    if not allowed:
        return None
    return RequestCookies({"HTTP_COOKIE": header}).get(ACCESS_COOKIE) or None
