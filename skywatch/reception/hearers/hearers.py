"""``Hearer``: a receiver that heard an aircraft lately, as the tracker's picture has it, in any process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from skywatch.core.bus import Bus
from skywatch.core.bus.request_reply import QuestionClient, QuestionServer
from skywatch.core.runtime import Runtime
from skywatch.picture.access import PictureAccess

if TYPE_CHECKING:
    from skywatch.picture.picture import Picture

TOPIC = "reception_hearers"
# Who heard an aircraft within this time hears it now (s).
NEWEST_S = 60.0


class Hearer(msgspec.Struct, frozen=True, array_like=True):
    """A receiver of the picture by its name, the signal (dBFS) of its newest message and when that was (unix s)."""

    receiver: str
    rssi: float | None
    last_at: float


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Hearer])


def hearers_in(picture: Picture, address: str) -> list[Hearer]:
    """The receivers of an aircraft (lower-case address) in the last 60 s, the latest first; for any thread."""
    since = picture.now() - NEWEST_S
    # Thousands of feeders are not asked one by one.
    hearers = [Hearer(*hearer) for hearer in picture.feeders_that_hear(address)]
    names = {hearer.receiver for hearer in hearers}
    for name in picture.counts.snapshot():
        view = picture.report_of(name, address) if name not in names else None
        if view is not None and view.at > since:
            rssi = None if view.rssi is UNSET else float(view.rssi)
            hearers.append(Hearer(name, rssi, view.at))
    return sorted(hearers, key=lambda hearer: -hearer.last_at)


class HearerService:
    """Next to the tracker: answers other processes."""

    def __init__(self, runtime: Runtime) -> None:
        self._bus: Bus = runtime.bus
        self._access = runtime.shared(PictureAccess)
        self._server: QuestionServer | None = None

    async def start(self) -> None:
        """Begin to answer, where other processes can ask."""
        if not self._bus.carries_objects:
            self._server = QuestionServer(self._bus, TOPIC, self._answer)

    async def stop(self) -> None:
        """Stop answering."""
        if self._server is not None:
            self._server.close()

    def _answer(self, address: bytes) -> bytes:
        picture = self._access.picture
        return _encoder.encode([] if picture is None else hearers_in(picture, address.decode("ascii", "replace")))


class HearerClient:
    """In any process (``runtime.shared``): who hears an aircraft."""

    def __init__(self, runtime: Runtime) -> None:
        self._access = runtime.shared(PictureAccess)
        self._client = None if runtime.bus.carries_objects else QuestionClient(runtime.bus, TOPIC)
        if self._client is not None:
            runtime.at_close(self._client.close)

    def hearers(self, address: str) -> list[Hearer] | None:
        """The receivers of an aircraft in the last 60 s; None where the tracker does not answer."""
        if self._access.picture is not None:
            return hearers_in(self._access.picture, address)
        answer = self._client.ask(address.encode()) if self._client is not None else None
        if answer is None:
            return None
        try:
            return _decoder.decode(answer)
        except msgspec.MsgspecError:
            return None  # Of a tracker of another release.
