"""The picture as one compressed blob, and its place in the database: what the tracker warms up from after a restart."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime

import msgspec

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.picture.models import PictureState
from skywatch.picture.storage.saved_reports import SavedReports
from skywatch.receivers.feeder_streams.voices import OURS, UNKNOWN, Voice
from skywatch.receivers.reports.receiver_names import FEEDERS, shown_receiver

# Raised whenever what is saved changes its form; what an older or newer version saved is not read.
FORM = 2
# The lowest level: the blob is rewritten every few seconds, and half the size costs ten times the time.
COMPRESSION_LEVEL = 1


class SavedPosition(msgspec.Struct, array_like=True, gc=False):
    """An accepted position: degrees, unix seconds, trust and the receiver's name."""

    lat: float
    lon: float
    at: float
    trust: int
    receiver: str


class SavedBook(msgspec.Struct, array_like=True):
    """What one receiver knew: its latest snapshots, and what it accumulated from increments.

    ``voice`` are the owner and the network of its voice; None in what earlier releases saved. ``simulated``: it was a
    simulator.
    """

    receiver: str
    snapshots: SavedReports
    views: SavedReports
    voice: tuple[str, str] | None = None
    simulated: bool = False

    def whose(self) -> Voice:
        """The voice; a feeder of which it was not saved is a stranger."""
        if self.voice is not None:
            return Voice(*self.voice)
        return OURS if shown_receiver(self.receiver) != FEEDERS else UNKNOWN


class SavedPicture(msgspec.Struct, array_like=True):
    """The saved state of a picture: ``saved_at`` is unix seconds.

    ``confirmed`` are addresses that more than one stranger has heard, whatever the books say.
    """

    form: int
    saved_at: float
    first_seen: dict[str, float]
    positions: dict[str, SavedPosition]
    books: list[SavedBook]
    confirmed: list[str] = []


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SavedPicture)


def encode(saved: SavedPicture) -> bytes:
    """Uncompressed; compression is left to a thread."""
    return _encoder.encode(saved)


def decode(data: bytes) -> SavedPicture:
    """Raises ValueError where the data is not a picture of this form."""
    try:
        saved = _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a saved picture: {error}") from None
    if saved.form != FORM:
        raise ValueError(f"saved in form {saved.form}, expected {FORM}")
    return saved


def write(sessions: SessionFactory, parts: dict[str, bytes]) -> None:
    """Compress and keep blobs under their names, in place of the ones before."""
    packed = {name: zlib.compress(data, COMPRESSION_LEVEL) for name, data in parts.items()}
    with writing(sessions) as session:
        for name, data in packed.items():
            session.merge(PictureState(name=name, saved_at=utcnow(), data=data))


def read(sessions: SessionFactory, name: str, newer_than_s: float) -> bytes | None:
    """The blob kept under a name, or None where there is none or it is older than so many seconds.

    Raises ValueError where it cannot be decompressed.
    """
    with sessions() as session:
        row = session.get(PictureState, name)
    if row is None or (datetime.now(UTC) - row.saved_at).total_seconds() > newer_than_s:
        return None
    try:
        return zlib.decompress(row.data)
    except zlib.error as error:
        raise ValueError(f"the saved {name} is damaged: {error}") from None
