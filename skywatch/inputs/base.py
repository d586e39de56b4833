"""The types that inputs, their decoders and the consumers of their messages agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from skywatch.sentences import worded

State = Literal["starting", "connected", "listening", "waiting", "ended", "failed"]
# The states in which an input does its work.
ACTIVE_STATES: frozenset[State] = frozenset(("connected", "listening"))
# Longest text of an error that is kept.
MAX_ERROR = 200

Message = TypeVar("Message")
Message_co = TypeVar("Message_co", covariant=True)
Message_contra = TypeVar("Message_contra", contravariant=True)


class InputStatus(msgspec.Struct):
    """The state of one input; rates are a second, times unix seconds, counters since the start.

    ``waiting`` is the pause before the next attempt, ``ended`` an input that was read to its end, ``failed`` a fault
    of the program (it is tried again as well). ``messages`` counts what was received and decoded, ``stored`` what the
    feature has saved, ``dropped`` what was lost because a queue was full or a limit exceeded, ``refused`` datagrams
    and connections that are not allowed, ``invalid`` what could not be decoded, by reason. ``address`` holds no
    credentials. ``family`` is the family of the setting, such as ``receiver``. ``since`` is when it began to do its
    work or, where it does not, when that ceased.
    """

    name: str
    kind: str
    address: str
    family: str = "receiver"
    state: State = "starting"
    message_rate: float = 0.0
    messages: int = 0
    stored: int = 0
    dropped: int = 0
    refused: int = 0
    invalid: dict[str, int] = {}
    connections: int = 0
    last_message_at: float | None = None
    reconnects: int = 0
    last_error: str | None = None
    last_error_code: str | None = None
    last_error_params: dict[str, Any] | None = None
    last_error_at: float | None = None
    since: float | None = None

    def set_error(self, reason: str) -> None:
        """Set the last error, with the code and the parameters of a sentence."""
        said = {"last_error_code": None, "last_error_params": None, **worded("last_error", reason)}
        self.last_error = str(said["last_error"])[:MAX_ERROR]
        self.last_error_code, self.last_error_params = said["last_error_code"], said["last_error_params"]

    @property
    def is_active(self) -> bool:
        """Whether the input does its work."""
        return self.state in ACTIVE_STATES


class Input(Protocol):
    """One input that the tracker runs."""

    @property
    def status(self) -> InputStatus:
        """The state of this moment, a copy."""

    async def run(self) -> None:
        """Read until cancelled or until the input has ended; raises only ``asyncio.CancelledError``."""


class FilePosition(msgspec.Struct, frozen=True):
    """How far a followed file has been read: the file itself (device, inode, its first bytes) and the offset.

    The feature stores it with the messages and passes it back after a restart, so that no message is read twice.
    """

    device: int
    inode: int
    offset: int
    # SHA-256 of the first ``sample`` bytes: file systems use inode numbers again.
    sample: int = 0
    digest: str = ""


# Reads where a followed file goes on (None: at its beginning); blocks, and raises where that cannot be read yet.
StoredPosition = Callable[[], FilePosition | None]


class Origin(NamedTuple):
    """Where a batch of messages came from: the input's name, the sender (host or file) and the time of arrival.

    ``position`` is set by followed files alone: where to go on once these messages are stored.
    """

    input: str
    sender: str
    received_at: float
    position: FilePosition | None = None


class Decoder(Protocol[Message_co]):
    """Turns the bytes of one connection, sender or file into messages; a new one is made for each."""

    def feed(self, received: bytes, received_at: float) -> Sequence[Message_co]:
        """The messages that are complete with these bytes. Never raises on any bytes; ``received_at`` in unix s."""


class Consumer(Protocol[Message_contra]):
    """Takes the messages of inputs; called on the tracker's loop."""

    def put(self, messages: Sequence[Message_contra], origin: Origin) -> None:
        """Take messages in the order they were received; must return at once."""

    async def ready(self) -> None:
        """Return when there is room. Streams and files wait for it; datagrams do not."""


# Makes a decoder; what it cannot decode it counts in the counter, by reason.
DecoderFactory = Callable[[Counter[str]], Decoder[Message]]
