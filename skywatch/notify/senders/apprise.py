"""Apprise: a hundred services through a library that runs in a child process with a deadline.

The library reads files, follows redirects and opens any connection that an address names. In its own process it has
no secret of the service, may connect only where the policy allows, and can be killed at any moment.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from skywatch.core.process.children import Child, ChildEnded, ChildLate, inherited
from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.senders.base import Outcome, Recipient, SendFailed
from skywatch.notify.settings import NotifySettings
from skywatch.sentences import sentence

TIMEOUT_S = 15.0
MAX_ANSWER = 10_000
# Messages under way at once; others wait.
MAX_CHILDREN = 8
CHILD = (sys.executable, "-I", "-m", "skywatch.notify.senders.apprise_child")
# Whatever the library met: its address was already checked as text.
NOT_SENT = sentence("notify.not_sent", "The service did not accept the message, or cannot be reached.")
# Environment variables that the library needs; no settings and no proxies of the service.
ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR")


class AppriseSender:
    """Sends one message by one child process."""

    def __init__(self, settings: NotifySettings, networks: Callable[[], Iterable[str]] | None = None) -> None:
        """``networks`` are those that may be reached, where they change at run time."""
        self._networks = networks or (lambda: settings.allowed_networks)
        self._schemes = list(settings.notify_apprise_schemes)
        self._threads = ThreadPoolExecutor(MAX_CHILDREN, thread_name_prefix="apprise")

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Send; raises SendFailed."""
        question = {
            "address": recipient.address,
            "title": message.title,
            "body": message.text,
            "priority": message.priority,
            "networks": list(self._networks()),
            "schemes": self._schemes,
        }
        with tempfile.TemporaryDirectory(prefix="skywatch-apprise-") as folder:
            answer = await self._ask(json.dumps(question).encode(), folder)
        if answer.get("delivered") is True:
            return Outcome()
        raise SendFailed(str(answer.get("detail") or NOT_SENT), cause=str(answer.get("cause") or ""))

    async def close(self) -> None:
        """Send nothing more."""
        self._threads.shutdown(wait=False)

    async def _ask(self, question: bytes, folder: str) -> dict[str, object]:
        environment = inherited(ENVIRONMENT) | {"HOME": folder, "TMPDIR": folder}
        child = Child(CHILD, environment, folder=folder, max_answer=MAX_ANSWER)
        try:
            answering = asyncio.get_running_loop().run_in_executor(self._threads, child.ask, question, TIMEOUT_S)
            answer = json.loads(await answering)
        except ChildLate:
            raise SendFailed(NOT_SENT, cause=f"No answer within {TIMEOUT_S:g} s.") from None
        except (ChildEnded, ValueError):
            raise SendFailed(NOT_SENT, cause="Apprise ended without an answer.") from None
        finally:
            child.close()
        return answer if isinstance(answer, dict) else {}
