"""Which clients are on this machine, and which requests name a host that the service does not answer to.

A page on the web whose host name is made to lead to 127.0.0.1 (DNS rebinding) reaches a service that listens on
loopback from this machine's browser, and reads its answers. The address of the peer proves nothing then; the host that
the request names, which a page cannot choose, does. The REST API and the real-time channel both ask here.
"""

from __future__ import annotations

import logging
import time

from skywatch.core.limits import RateLimit
from skywatch.core.network.addresses import TrustedProxies, host_of, is_loopback
from skywatch.http.settings import HttpSettings
from skywatch.sentences import sentence
from skywatch.settings import split_listen

log = logging.getLogger(__name__)
LOG_EVERY_S = 60.0
MAX_LOGGED_HOST = 200
MISDIRECTED = sentence(
    "http.misdirected",
    "The service listens on this machine alone and answers to localhost and loopback "
    "addresses only. To open it by another name, set base_url in the ini file to the "
    "address in the browser: base_url = https://sky.example.org",
)


class Locality:
    """The rules of one listening address, ``listen`` or ``realtime_listen``.

    ``peer`` is the address of the connection, ``host`` the request's ``Host`` (None or empty: it names none, which no
    browser does), ``forwarded`` whether any of ``FORWARDING_HEADERS`` came with it.
    """

    def __init__(self, settings: HttpSettings, listen: str) -> None:
        self._proxies = TrustedProxies(settings.trusted_proxy)
        self._listen = listen
        self._answers_loopback_only = is_loopback(split_listen(listen)[0]) and not settings.base_url
        self._log_limit = RateLimit(1 / LOG_EVERY_S, burst=1)

    def is_local(self, peer: str, host: str | None, *, forwarded: bool) -> bool:
        """Whether the client is a program or a page of this machine, and does not come by a proxy."""
        return not forwarded and is_loopback(peer) and is_loopback(host_of(host or "")) and peer not in self._proxies

    def is_misdirected(self, peer: str, host: str | None, *, forwarded: bool) -> bool:
        """Whether to refuse a request (421) because of the host that it names; one log line a minute says so.

        Another server may run the application at another address than ``listen``: who comes from elsewhere shows that
        this machine is not alone.
        """
        if not self._answers_loopback_only or forwarded or not host or is_loopback(host_of(host)):
            return False
        if not is_loopback(peer):
            return False
        if self._log_limit.take(time.monotonic()):
            log.warning(
                "refused a request to %.*r (421): the service listens on %s and answers to loopback hosts only; if this"
                " name is yours, set base_url in the ini file to the address in the browser",
                MAX_LOGGED_HOST,
                host,
                self._listen,
            )
        return True
