"""Calls to a provider that cannot hurt: one deadline for the whole call, a size limit, no redirects, JSON only.

Providers that hang may hold only half of the API's worker threads, each its own share of them; whoever else wants one
is told to come back, and local login and the other providers go on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import httpx

from skywatch.core.problems import Problem
from skywatch.settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")
PIECE_BYTES = 16_384
# So long a call waits for a place (s): enough for a rush on a provider that is well, and nothing beside one that hangs.
PATIENCE_S = 0.5


class Refused(Exception):
    """The provider answered with an OAuth error document; ``error`` is its code."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Fetcher:
    """An HTTP client for one provider. Safe to use from any thread that runs no event loop of its own."""

    def __init__(self, settings: Settings, places: int) -> None:
        """``places``: how many threads may wait for this provider at a time."""
        self._timeout_s = settings.oidc_timeout_s
        self._maximum_bytes = settings.oidc_max_response_bytes
        self._places = threading.BoundedSemaphore(places)
        # Costly to make, and the same for every call.
        self._tls = httpx.create_ssl_context()

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A JSON object; raises Problem (502)."""
        return self._call("GET", url, headers or {}, None)

    def post(self, url: str, body: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """The JSON answer to a form; raises Refused for an OAuth error document, else Problem (502)."""
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._call("POST", url, {**form, **headers}, body.encode("ascii"))

    def _call(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> dict[str, Any]:
        if not self._places.acquire(timeout=PATIENCE_S):
            raise Problem(
                "unavailable", "The identity provider is slow, and others are waiting for it; begin again later."
            )
        try:
            # Unpacked: a few packed bytes can become more than the memory holds.
            plain = {"Accept": "application/json", "Accept-Encoding": "identity"}
            status, body = _finish(self._read(method, url, {**plain, **headers}, content))
        except (httpx.TimeoutException, TimeoutError):
            log.warning("%s %s: no answer within %g s", method, url, self._timeout_s)
            raise Problem("sso_provider_slow") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            # A certificate that nobody trusts is among these: whoever runs the service has to see it.
            log.warning("%s %s: %s", method, url, error)
            raise Problem("sso_provider_unreachable") from None
        finally:
            self._places.release()
        return _understand(status, body, may_refuse=method == "POST")

    async def _read(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, bytes]:
        """Status and body; raises TimeoutError, Problem (502) or what httpx raises.

        The client's own limits are for each step and each piece, and a provider that drips would keep within them for
        ever: looking its name up, connecting and every byte of the answer share one deadline on the monotonic clock.
        """
        # A redirect would send credentials or questions to an address that nobody has configured.
        client = httpx.AsyncClient(verify=self._tls, timeout=self._timeout_s, follow_redirects=False)
        async with (
            asyncio.timeout(self._timeout_s),
            client,
            client.stream(method, url, headers=dict(headers), content=content) as response,
        ):
            body = b""
            async for piece in response.aiter_raw(PIECE_BYTES):
                body += piece
                if len(body) > self._maximum_bytes:
                    raise Problem("sso_provider_answer", "The provider's answer is too large.")
            return response.status_code, body


def _finish(call: Coroutine[Any, Any, T]) -> T:
    """Run a call to its end in an event loop of its own.

    Unlike ``asyncio.run`` this waits for no thread: the system's name lookup cannot be interrupted, only left behind.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(call)
    finally:
        loop.close()


def _understand(status: int, body: bytes, *, may_refuse: bool) -> dict[str, Any]:
    found: Any = None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        pass
    if may_refuse and 400 <= status < 500 and isinstance(found, dict) and isinstance(found.get("error"), str):
        raise Refused(found["error"][:64])
    if status != 200:
        raise Problem("sso_provider_answer", f"The provider answered with status {status}.")
    if not isinstance(found, dict):
        raise Problem("sso_provider_answer", "The provider's answer is not a JSON object.")
    return found
