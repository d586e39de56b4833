"""The interface of senders: recipient, outcome and failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from skywatch.notify.messages import OutgoingMessage
from skywatch.sentences import sentence

# Users name the hosts: whether a name exists, a port is closed, filtered or speaks something else would let them look
# around in the service's network. The log has the cause.
UNREACHABLE = sentence("notify.host_unreachable", "The host cannot be reached.")


@dataclass(frozen=True)
class Browser:
    """A browser subscribed to Web Push; the keys are in base64url."""

    id: int
    endpoint: str
    public_key: str
    auth_secret: str


@dataclass(frozen=True, repr=False)
class Recipient:
    """A channel as its sender needs it, without a database object; never shown or logged.

    ``secrets`` are the valid ones, newest first. ``browsers`` are those that do not have the message yet;
    ``some_reached`` is true if others have it. ``person`` has the user's part of what people share
    (``skywatch.core.limits``).
    """

    channel_id: int
    user_id: int
    kind: str
    address: str
    secrets: tuple[str, ...] = ()
    browsers: tuple[Browser, ...] = ()
    some_reached: bool = False
    person: str = ""


@dataclass(frozen=True)
class Outcome:
    """Ids of browsers: those that accepted the message, and those whose subscription has expired."""

    reached: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()


class SendFailed(Exception):
    """A message was not accepted; ``str()`` is the reason for the channel's owner, without addresses and secrets.

    ``gone``: the receiver has answered that it is permanently gone. ``final``: another attempt cannot succeed.
    ``ours``: the cause is in this installation; the channel is not disabled for it. ``cause`` is for the log alone.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after_s: float | None = None,
        gone: bool = False,
        final: bool = False,
        ours: bool = False,
        outcome: Outcome | None = None,
        cause: str = "",
    ) -> None:
        super().__init__(reason[:200])
        self.retry_after_s = retry_after_s
        self.gone = gone
        self.final = final
        self.ours = ours
        self.outcome = outcome or Outcome()
        self.cause = cause or str(self)


class Sender(Protocol):
    """Sends to one kind of channel."""

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Send and wait until the message is accepted; raises SendFailed."""

    async def close(self) -> None:
        """Release the sender's resources."""
