"""Calls to a provider that cannot hurt: a time limit for the whole answer, a size limit, no redirects, JSON only.

A provider that hangs may hold only half of the API's worker threads; whoever else wants it is told to come back,
and local login goes on.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from skywatch.core.problems import Problem
from skywatch.settings import Settings


class Refused(Exception):
    """The provider answered with an OAuth error document; ``error`` is its code."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Fetcher:
    """An HTTP client for one provider. Safe to use from any thread."""

    def __init__(self, settings: Settings) -> None:
        self._timeout_s = settings.oidc_timeout_s
        self._maximum_bytes = settings.oidc_max_response_bytes
        self._places = threading.BoundedSemaphore(max(1, settings.api_threads // 2))
        # A redirect would send credentials or questions to an address that nobody has configured.
        self._client = httpx.Client(timeout=self._timeout_s, follow_redirects=False)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A JSON object; raises Problem (502)."""
        return self._call("GET", url, headers or {}, None)

    def post(self, url: str, body: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """The JSON answer to a form; raises Refused for an OAuth error document, else Problem (502)."""
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._call("POST", url, {**form, **headers}, body.encode("ascii"))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> dict[str, Any]:
        if urlsplit(url).scheme not in ("http", "https"):
            raise Problem("sso_provider_answer", "The provider names an address that is not http(s).")
        if not self._places.acquire(blocking=False):
            raise Problem("unavailable", "The identity provider is slow, and others are waiting for it already.")
        try:
            # Unpacked: a few packed bytes can become more than the memory holds.
            plain = {"Accept": "application/json", "Accept-Encoding": "identity"}
            status, body = self._read(method, url, {**plain, **headers}, content)
        except httpx.TimeoutException:
            raise Problem("sso_provider_slow") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            raise Problem("sso_provider_unreachable") from None
        finally:
            self._places.release()
        return _understand(status, body, may_refuse=method == "POST")

    def _read(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> tuple[int, bytes]:
        until = time.monotonic() + self._timeout_s
        with self._client.stream(method, url, headers=dict(headers), content=content) as response:
            body = b""
            for chunk in response.iter_raw(16_384):
                body += chunk
                if len(body) > self._maximum_bytes:
                    raise Problem("sso_provider_answer", "The provider's answer is too large.")
                # The client's own limit is for each piece; one that drips would go on for ever.
                if time.monotonic() > until:
                    raise Problem("sso_provider_slow")
            return response.status_code, body


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
