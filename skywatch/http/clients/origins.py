"""Web origins (RFC 6454): which pages may read responses, send requests authenticated by cookie, and open the channel.

Used by the REST API, the console, single sign-on and the real-time channel alike. Browsers send the origin of the page
reliably; other programs send no ``Origin``.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from skywatch.core.network.addresses import parse_address
from skywatch.core.runtime import Runtime
from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True)
class AllowedOrigins:
    """The rules for origins that follow from the settings."""

    # Of the setting ``cors_allowed_origins``, normalised.
    listed: frozenset[str] = frozenset()
    # Every page may read responses without credentials.
    everybody: bool = False
    # Listed pages may send cookies and read the responses.
    with_cookies: bool = False
    # Of ``base_url``; None where it is not set, and the service's own origin is the one it was reached by.
    public: str | None = None
    # Pages of this machine may read and connect, though not with cookies: in development they come from any port.
    loopback: bool = False
    # Ports of the same host whose pages belong to the service: the REST API with its console.
    service_ports: frozenset[int] = frozenset()

    @classmethod
    def of(cls, settings: HttpSettings) -> AllowedOrigins:
        """The rules of the settings."""
        return cls(
            listed=frozenset(normalize(origin) for origin in settings.cors_allowed_origins),
            everybody=settings.cors_allow_all_origins,
            with_cookies=settings.cors_allow_credentials,
            public=normalize(origin_of(settings.base_url)) if settings.base_url else None,
            loopback=settings.environment == "development",
            service_ports=frozenset({split_listen(settings.listen)[1]}),
        )

    def is_listed(self, origin: str | None) -> bool:
        """Whether the settings list an origin."""
        return bool(origin) and normalize(str(origin)) in self.listed

    def is_own(self, origin: str | None, reached: str) -> bool:
        """Whether an origin is the service's own; ``reached`` is the scheme and host the request was sent to."""
        return bool(origin) and normalize(str(origin)) == (self.public or normalize(reached))

    def may_read(self, origin: str | None) -> bool:
        """Whether pages of an origin may read responses of the API (CORS)."""
        return bool(origin) and (self.everybody or self.is_listed(origin) or self._is_loopback(str(origin)))

    def may_write_by_cookie(self, origin: str | None, reached: str) -> bool:
        """Whether pages of an origin may send unsafe requests authenticated by cookie."""
        return self.is_own(origin, reached) or self.is_listed(origin)

    def may_connect(self, origin: str | None, host: str) -> bool:
        """Whether a page may open the real-time channel; ``host`` is the ``Host`` of the handshake."""
        if not origin or self.everybody or self._is_loopback(origin):
            return True
        return self.is_listed(origin) or normalize(origin) == self.public or self._is_of_host(origin, host)

    def may_connect_by_cookie(self, origin: str | None, host: str) -> bool:
        """Whether a page may open the channel as the user of its cookie, with access to that user's records.

        CORS does not restrict WebSockets: a listed page needs ``cors_allow_credentials``. If a public address is set,
        pages of the same host reached by another address are not allowed.
        """
        if not origin:
            return False
        if self.with_cookies and self.is_listed(origin):
            return True
        return normalize(origin) == self.public if self.public is not None else self._is_of_host(origin, host)

    def _is_loopback(self, origin: str) -> bool:
        """Whether loopback origins are allowed, and this is one."""
        if not self.loopback:
            return False
        try:
            page = urlsplit(origin)
        except ValueError:
            return False
        if page.scheme not in ("http", "https") or page.hostname is None:
            return False
        address = parse_address(page.hostname)
        return page.hostname == "localhost" if address is None else address.is_loopback

    def _is_of_host(self, origin: str, host: str) -> bool:
        """Whether a page comes from the host of the channel, on the same port or one of the service's."""
        try:
            page, here = urlsplit(origin), urlsplit(f"//{host}")
            page_port = page.port or _DEFAULT_PORTS.get(page.scheme)
            here_port = here.port
        except ValueError:
            return False
        if page.hostname is None or page.hostname != here.hostname or page.scheme not in ("http", "https"):
            return False
        if here_port is None:  # The host was reached by the default port of http or of https.
            return page_port in (80, 443) or page_port in self.service_ports
        return page_port == here_port or page_port in self.service_ports


def allowed_origins(runtime: Runtime) -> AllowedOrigins:
    """The rules of an installation."""
    return AllowedOrigins.of(runtime.settings.of(HttpSettings))


def origin_of(url: str) -> str:
    """The origin of an address, in lower case."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def normalize(origin: str) -> str:
    """An origin as browsers write it: lower case, no default port, no slash at the end."""
    origin = origin.strip().rstrip("/").lower()
    scheme, _, rest = origin.partition("://")
    default_port = f":{_DEFAULT_PORTS.get(scheme)}"
    return origin.removesuffix(default_port) if rest else origin
