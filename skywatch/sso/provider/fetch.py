"""Calls to a provider by the service's careful client: JSON only, and a limit on how many wait for a provider.

Providers that hang may occupy only half of the API's worker threads, each its own share of them; further requests get
503, and local login and the other providers go on.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

from skywatch.core.network.http_client import AnswerTooLarge, CallFailed, DeadlineExceeded, OutgoingClient
from skywatch.core.network.targets import AddressRefused
from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.settings import SsoSettings

log = logging.getLogger(__name__)
# So long a call waits for a slot (s): enough for a rush on a provider that is well, and short next to one that hangs.
PATIENCE_S = 0.5


class Fetcher:
    """An HTTP client for one provider. Safe to use from any thread that runs no event loop of its own."""

    def __init__(self, settings: SsoSettings, slots: int) -> None:
        """``slots``: how many threads may wait for this provider at a time."""
        # The administrator names the providers, so they may stand in any network.
        self._client = OutgoingClient(
            timeout_s=settings.oidc_timeout_s, maximum_bytes=settings.oidc_max_response_bytes, policy=None
        )
        # Nobody is known yet by whom it could be divided: the standard library's limit is enough.
        self._slots = threading.BoundedSemaphore(slots)

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A JSON object; raises Problem (502)."""
        return self._call("GET", url, headers or {}, None)

    def post(self, url: str, body: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """The JSON answer to a form, which may be an OAuth error document; raises Problem (502)."""
        return self._call("POST", url, headers, body.encode("ascii"))

    def _call(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> dict[str, Any]:
        if not self._slots.acquire(timeout=PATIENCE_S):
            raise Problem(
                "unavailable",
                sentence(
                    "sso.provider_busy",
                    "The identity provider is slow, and others are waiting for it; begin again later.",
                ),
            )
        try:
            answer = self._client.call(method, url, {"Accept": "application/json", **headers}, content)
        except DeadlineExceeded as error:
            log.warning("%s %s: %s", method, url, error)
            raise Problem(problems.PROVIDER_SLOW) from None
        except AnswerTooLarge:
            raise Problem(
                problems.PROVIDER_ANSWER, sentence("sso.answer_too_large", "The provider's answer is too large.")
            ) from None
        except (CallFailed, AddressRefused) as error:
            # Untrusted certificates are among these: the operator has to see them.
            log.warning("%s %s: %s", method, url, error)
            raise Problem(problems.PROVIDER_UNREACHABLE) from None
        finally:
            self._slots.release()
        return _understand(answer.status, answer.body, may_be_error=method == "POST")


def _understand(status: int, body: bytes, *, may_be_error: bool) -> dict[str, Any]:
    document: Any = None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        pass
    if may_be_error and 400 <= status < 500 and isinstance(document, dict) and isinstance(document.get("error"), str):
        return document
    if status != 200:
        raise Problem(
            problems.PROVIDER_ANSWER,
            sentence("sso.answer_status", "The provider answered with status {status}.", status=status),
        )
    if not isinstance(document, dict):
        raise Problem(
            problems.PROVIDER_ANSWER, sentence("sso.answer_not_json", "The provider's answer is not a JSON object.")
        )
    return document
