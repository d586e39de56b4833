"""The child process that runs Apprise: one question, the message as JSON, and one answer.

An audit hook, which cannot be removed, refuses every connection that the policy does not allow and every attempt to
start a program; resource limits bound memory and processor time.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import resource
import sys
from typing import Any

from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy
from skywatch.core.process.children import answer_questions
from skywatch.notify.senders.apprise_urls import check_apprise_url

MEMORY_BYTES = 1_000_000_000
CPU_S = 10
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn")


class Guard:
    """The audit hook."""

    def __init__(self, policy: TargetPolicy) -> None:
        self._policy = policy
        self.refused = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in FORBIDDEN:
            self._refuse()
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"):
            address = arguments[1] if len(arguments) > 1 else None
            if not isinstance(address, tuple):
                self._refuse()
            elif event == "socket.connect":
                try:
                    allowed = self._policy.allows(ipaddress.ip_address(str(address[0]).partition("%")[0]))
                except ValueError:
                    allowed = False
                if not allowed:
                    self._refuse()

    def _refuse(self) -> None:
        self.refused = True
        raise PermissionError(NOT_ALLOWED)


def send(order: dict[str, Any]) -> dict[str, Any]:
    """Send one message; the reason of a failure contains no addresses.

    ``detail`` is what the text of the address shows, for the user; ``cause`` what happened on the way, for the log.
    """
    policy = TargetPolicy(order["networks"])
    try:
        fault = check_apprise_url(order["address"], order["schemes"], policy)
    except AddressRefused:
        fault = NOT_ALLOWED
    if fault:
        return {"delivered": False, "detail": fault if fault == NOT_ALLOWED else f"The address {fault}."}
    try:
        import apprise
    except ModuleNotFoundError:
        return {"delivered": False, "detail": "Apprise is not installed (pip install 'skywatch[apprise]')."}
    # Nothing is stored between messages, no user plug-in is loaded, and messages refer to no images.
    asset = apprise.AppriseAsset(
        app_id="Skywatch", app_desc="Skywatch", app_url="", image_url_mask="", image_url_logo="", async_mode=False,
        storage_mode=apprise.PersistentStoreMode.MEMORY, plugin_paths=[], secure_logging=True,
    )  # fmt: skip
    sender = apprise.Apprise(asset=asset)
    if not sender.add(order["address"]):
        return {"delivered": False, "detail": "Apprise cannot read the address."}
    guard = Guard(policy)
    sys.addaudithook(guard)
    kinds = {"critical": apprise.NotifyType.FAILURE, "warning": apprise.NotifyType.WARNING}
    delivered = sender.notify(
        body=order["body"],
        title=order["title"],
        notify_type=kinds.get(order["priority"], apprise.NotifyType.INFO),
        body_format=apprise.NotifyFormat.TEXT,
        interpret_escapes=False,
    )
    if guard.refused:
        return {"delivered": False, "cause": NOT_ALLOWED}
    return {"delivered": bool(delivered)}


def main() -> None:
    """Send one message."""
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answer_questions(lambda question: json.dumps(send(json.loads(question))).encode())


if __name__ == "__main__":
    main()
