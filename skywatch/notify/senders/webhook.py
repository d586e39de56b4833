"""Webhooks as of Standard Webhooks 1.0: signed JSON, acknowledged by any 2xx answer; a redirect is a failure."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

from skywatch.core.clock import unix_now
from skywatch.core.network.http_client import Answer, AnswerTooLarge, CallFailed, OutgoingClient
from skywatch.core.network.targets import AddressRefused
from skywatch.core.process.version import VERSION
from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.senders.base import UNREACHABLE, Outcome, Recipient, SendFailed
from skywatch.notify.senders.signatures import signature_headers

USER_AGENT = f"Skywatch/{VERSION}"
TIMEOUT_S = 15.0
# The body of an answer is ignored; bounds how much of it is read.
MAX_ANSWER_BYTES = 65_536


class WebhookSender:
    """Posts messages to users' own addresses."""

    def __init__(self, client: OutgoingClient) -> None:
        self._client = client

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Send one POST request; raises SendFailed."""
        signed = signature_headers(message.id, int(unix_now()), message.document, recipient.secrets)
        headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT, **signed}
        await post(self._client, recipient.address, headers, message.document, recipient.person)
        return Outcome()

    async def close(self) -> None:
        """Do nothing: the client is shared."""


async def post(
    client: OutgoingClient,
    address: str,
    headers: dict[str, str],
    content: bytes,
    person: str,
    gone: frozenset[int] = frozenset({410}),
) -> None:
    """Send a POST request; raises SendFailed, with ``gone`` set for the statuses in ``gone``."""
    try:
        answer = await client.send("POST", address, headers, content, person)
    except AnswerTooLarge as error:
        raise SendFailed(str(error)) from None
    except (CallFailed, AddressRefused) as error:
        raise SendFailed(UNREACHABLE, cause=str(error)) from None
    if 200 <= answer.status < 300:
        return
    if 300 <= answer.status < 400:
        raise SendFailed(f"The receiver redirects (status {answer.status}); enter the final address.")
    raise SendFailed(
        f"The receiver answered with status {answer.status}.",
        retry_after_s=retry_after_s(answer) if answer.status in (429, 503) else None,
        gone=answer.status in gone,
    )


def retry_after_s(answer: Answer) -> float | None:
    """The pause requested by ``Retry-After`` (s; RFC 9110, 10.2.3), or None."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return max(0.0, at.timestamp() - unix_now())
