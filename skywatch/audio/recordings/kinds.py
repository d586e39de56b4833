"""The kinds of files that are accepted, recognised by their first bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FileKind:
    """A kind of file: media type, ending, and its name in libsndfile, or in ffmpeg (``demuxer``) that decodes it."""

    media_type: str
    ending: str
    library_format: str
    demuxer: str = ""


MP3 = FileKind("audio/mpeg", "mp3", "MP3")
OGG = FileKind("audio/ogg", "ogg", "OGG")
FLAC = FileKind("audio/flac", "flac", "FLAC")
WAV = FileKind("audio/wav", "wav", "WAV")
# What libsndfile does not decode: AAC as trunk-recorder sends it and as a bare stream, and what browsers record.
M4A = FileKind("audio/mp4", "m4a", "MPEG-4", "mov")
AAC = FileKind("audio/aac", "aac", "AAC", "aac")
WEBM = FileKind("audio/webm", "webm", "WebM", "matroska")
KINDS = (MP3, OGG, FLAC, WAV, M4A, AAC, WEBM)
BY_MEDIA_TYPE = {kind.media_type: kind for kind in KINDS}
SNIFFED_BYTES = 4096
EBML = b"\x1a\x45\xdf\xa3"


def recognise(head: bytes) -> FileKind | None:
    """The kind of a file by its first 4,096 bytes; None for any other."""
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return WAV
    if head[:4] == b"fLaC":
        return FLAC
    if head[:4] == b"OggS":
        return OGG
    if head[4:8] == b"ftyp":
        return M4A
    if head[:4] == EBML:
        return WEBM
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return AAC
    if head[:3] == b"ID3" or _is_mp3_frame(head[:4]):
        return MP3
    return None


def _is_mp3_frame(header: bytes) -> bool:
    """Whether four bytes are the header of a layer III frame (ISO 11172-3, 2.4.1.3)."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return False
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bit_rate, sample_rate = header[2] >> 4, header[2] >> 2 & 3
    return version != 1 and layer == 1 and bit_rate not in (0, 15) and sample_rate != 3


def ends_early(kind: FileKind, head: bytes, tail: bytes, size: int) -> bool:
    """Whether the container announces more than the file holds (``tail``: its last 64 KiB)."""
    if kind is WAV:
        announced = int.from_bytes(head[4:8], "little") + 8
        # Programs write 0 or all ones while the length is unknown.
        return 8 < announced < 0xFFFFFFFF and announced > size + 1
    if kind is OGG:
        last = tail.rfind(b"OggS")
        return last < 0 or len(tail) < last + 6 or not tail[last + 5] & 4
    return False
