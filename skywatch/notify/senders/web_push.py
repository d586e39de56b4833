"""Web Push: an encrypted message to each of the user's browsers through its vendor's push service."""

from __future__ import annotations

import asyncio
import hashlib

import msgspec

from skywatch.core.database.columns import UNREADABLE
from skywatch.core.network.http_client import OutgoingClient
from skywatch.core.network.targets import read_url
from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.push.encryption import MAX_PLAINTEXT, decode, encrypt
from skywatch.notify.push.vapid import VapidKey
from skywatch.notify.senders.base import Browser, Outcome, Recipient, SendFailed
from skywatch.notify.senders.webhook import USER_AGENT, post
from skywatch.sentences import sentence

URGENCY = {"info": "low", "warning": "normal", "critical": "high"}
# Time for which a push service stores a message for a browser that is offline (s).
TTL_S = {"info": 6 * 3600, "warning": 6 * 3600, "critical": 3 * 86400}
GONE_STATUSES = frozenset({404, 410})


class UnusableSender:
    """In place of a sender that cannot work, with the reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Raise SendFailed with the reason."""
        raise SendFailed(self._reason, ours=True)

    async def close(self) -> None:
        """Do nothing."""


class WebPushSender:
    """Sends to the browsers of a user."""

    def __init__(self, client: OutgoingClient, key: VapidKey, contact: str) -> None:
        self._client = client
        self._key = key
        self._contact = contact

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Send to all browsers that do not have the message yet; raises SendFailed if one fails temporarily."""
        if not recipient.browsers and not recipient.some_reached:
            raise SendFailed("No browser has subscribed.", final=True)
        content = _content(message)
        answers = await asyncio.gather(
            *(self._push(browser, content, message, recipient.person) for browser in recipient.browsers)
        )
        outcome = Outcome(
            tuple(browser.id for browser, failure in answers if failure is None),
            tuple(browser.id for browser, failure in answers if failure is not None and failure.gone),
        )
        failures = [failure for _, failure in answers if failure is not None and not failure.gone]
        if failures:
            pauses = [failure.retry_after_s for failure in failures if failure.retry_after_s is not None]
            ours = all(failure.ours for failure in failures)
            raise SendFailed(str(failures[0]), retry_after_s=max(pauses, default=None), ours=ours, outcome=outcome)
        if not outcome.reached and not recipient.some_reached:
            raise SendFailed("No browser is subscribed any more.", final=True, outcome=outcome)
        return outcome

    async def _push(
        self, browser: Browser, content: bytes, message: OutgoingMessage, person: str
    ) -> tuple[Browser, SendFailed | None]:
        if UNREADABLE in (browser.endpoint, browser.auth_secret):
            reason = sentence(
                "notify.subscription_other_secret",
                "The subscription was stored with another secret of the service; subscribe the browser again.",
            )
            return browser, SendFailed(reason, ours=True)
        url = read_url(browser.endpoint)
        headers = {
            "Authorization": self._key.authorization(f"{url.scheme}://{url.netloc.decode('ascii')}", self._contact),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(TTL_S[message.priority]),
            "Urgency": URGENCY[message.priority],
            # A retry replaces the message that the push service still stores.
            "Topic": hashlib.sha256(message.id.encode()).hexdigest()[:32],
            "User-Agent": USER_AGENT,
        }
        try:
            body = encrypt(content, decode(browser.public_key), decode(browser.auth_secret))
            await post(self._client, browser.endpoint, headers, body, person, gone=GONE_STATUSES)
        except SendFailed as failure:
            return browser, failure
        return browser, None

    async def close(self) -> None:
        """Do nothing: the client is shared."""


def _content(message: OutgoingMessage) -> bytes:
    """The content that the web application's service worker shows; with the same ``tag`` a retry replaces the first."""
    fields = {"tag": message.id, "title": message.title, "body": message.text[:1500], "priority": message.priority}
    content = msgspec.json.encode(fields)
    if len(content) > MAX_PLAINTEXT:
        content = msgspec.json.encode({**fields, "body": message.text[:200]})
    return content
