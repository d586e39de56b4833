"""Apprise: a hundred services through a library that runs in a child process with a deadline.

The library reads files, follows redirects and opens any connection that an address names. In its own process it has
no secret of the service, may connect only where the policy allows, and can be killed at any moment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile

from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.senders.base import Outcome, Recipient, SendFailed
from skywatch.notify.settings import NotifySettings

TIMEOUT_S = 15.0
MAX_OUTPUT = 10_000
# Whatever the library met: its address was already checked as text.
NOT_SENT = "The service did not accept the message, or cannot be reached."
# Environment variables that the library needs; no settings and no proxies of the service.
ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR")


class AppriseSender:
    """Sends one message by one child process."""

    def __init__(self, settings: NotifySettings) -> None:
        self._networks = list(settings.notify_allow_networks)
        self._schemes = list(settings.notify_apprise_schemes)

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Send; raises SendFailed."""
        order = {
            "address": recipient.address,
            "title": message.title,
            "body": message.text,
            "priority": message.priority,
            "networks": self._networks,
            "schemes": self._schemes,
        }
        answer = await _run(json.dumps(order).encode())
        if answer.get("delivered") is True:
            return Outcome()
        raise SendFailed(str(answer.get("detail") or NOT_SENT), cause=str(answer.get("cause") or ""))

    async def close(self) -> None:
        """Do nothing: no resources are open."""


async def _run(order: bytes) -> dict[str, object]:
    """The answer of the child process; raises SendFailed."""
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="skywatch-apprise-") as folder:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-m",
            "skywatch.notify.senders.apprise_child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**environment, "HOME": folder, "TMPDIR": folder},
            cwd=folder,
        )
        try:
            async with asyncio.timeout(TIMEOUT_S):
                output, _ = await child.communicate(order)
        except TimeoutError:
            raise SendFailed(NOT_SENT, cause=f"No answer within {TIMEOUT_S:g} s.") from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    try:
        answer = json.loads(output[-MAX_OUTPUT:])
    except ValueError:
        raise SendFailed(NOT_SENT, cause="Apprise ended without an answer.") from None
    return answer if isinstance(answer, dict) else {}
