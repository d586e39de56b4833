"""What the audio resources take and answer."""

from __future__ import annotations

import colander

from skywatch.audio.vocabulary import Status
from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    FilePart,
    IcaoAddress,
    JsonList,
    JsonNumber,
    JsonString,
    QueryBoolean,
    QueryNumber,
    QueryString,
    Schema,
    Timestamp,
    integer_node,
    nullable_node,
    number_node,
)

STATUSES = tuple(status.value for status in Status)


def _text(description: str = "") -> colander.SchemaNode:
    return colander.SchemaNode(JsonString(multiline=True), description=description)


class TranscriptSegment(Schema):
    """A part of a transcript."""

    begin_s = number_node("From the begin of the recording (s).")
    end_s = number_node("From the begin of the recording (s).")
    text = _text()


class TransmissionRecord(Schema):
    """A transmission."""

    id = integer_node()
    at = colander.SchemaNode(Timestamp(), description="When it began.")
    received_at = colander.SchemaNode(Timestamp(), description="When it was stored.")
    channel = _text()
    frequency_mhz = nullable_node(JsonNumber())
    duration_s = number_node()
    media_type = _text("audio/mpeg, audio/ogg, audio/flac or audio/wav.")
    bytes = integer_node()
    sha256 = _text("Of the recording; the ETag of its file.")
    peak_db = nullable_node(JsonNumber(), "Highest level (dBFS); null in silence.")
    loudness_lufs = nullable_node(JsonNumber(), "Integrated loudness (EBU R 128); null in silence.")
    status = colander.SchemaNode(JsonString(), validator=colander.OneOf(STATUSES), description="Of the transcription.")
    reason = nullable_node(JsonString(), "Why there is no transcript.")
    transcript = nullable_node(JsonString(multiline=True))
    segments = colander.SchemaNode(JsonList(), TranscriptSegment(name="segment"))
    icao_hex = nullable_node(JsonString(), "Aircraft that was named and within range then.")
    callsign = nullable_node(JsonString())
    flags = colander.SchemaNode(
        JsonList(), colander.SchemaNode(JsonString(), name="flag"), description="`truncated`, `possible_distress`."
    )
    source = _text("`upload`, `call-upload` or `folder:NAME`.")
    waveform = colander.SchemaNode(
        JsonList(),
        number_node().clone(),
        missing=colander.drop,
        description="200 peaks, 0 to 1; in lists with `waveform=true`.",
    )


class TransmissionList(PageLinks):
    """A page of transmissions."""

    transmissions = colander.SchemaNode(JsonList(), TransmissionRecord(name="transmission"))


class SpanQuery(Schema):
    """A span of time."""

    since = colander.SchemaNode(Timestamp(), name="from", missing=None, description="Not before this.")
    until = colander.SchemaNode(Timestamp(), name="to", missing=None, description="Before this.")


def _channel() -> colander.SchemaNode:
    return colander.SchemaNode(
        QueryString(), missing=None, validator=colander.Length(max=120), description="Name of the channel."
    )


class TransmissionQuery(CursorQuery):
    """Filters of transmissions."""

    channel = _channel()
    frequency_mhz = colander.SchemaNode(
        QueryNumber(), missing=None, validator=colander.Range(0, 100_000), description="Within 500 Hz."
    )
    status = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.OneOf(STATUSES), description="Of the transcription."
    )
    min_duration_s = colander.SchemaNode(
        QueryNumber(), missing=None, validator=colander.Range(0, 600), description="At least this long."
    )
    icao_hex = colander.SchemaNode(IcaoAddress(), missing=None, description="Aircraft, in either case.")
    callsign = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.Length(max=8), description="Aircraft, in either case."
    )
    since = colander.SchemaNode(Timestamp(), name="from", missing=None, description="Not before this.")
    until = colander.SchemaNode(Timestamp(), name="to", missing=None, description="Before this.")
    q = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.Length(max=100), description="Part of the transcript."
    )
    waveform = colander.SchemaNode(QueryBoolean(), missing=False, description="With the waveforms.")


class UploadForm(Schema):
    """A transmission to store."""

    audio = colander.SchemaNode(FilePart(), description="The file: MP3, Ogg, FLAC, WAV, m4a, AAC or WebM.")
    channel = colander.SchemaNode(JsonString(), description="Name of the channel.")
    frequency_mhz = colander.SchemaNode(JsonString(), missing=colander.drop)
    at = colander.SchemaNode(JsonString(), missing=colander.drop, description="When it began; otherwise now.")


class CallForm(Schema):
    """rdio-scanner's call upload; other fields are passed over."""

    key = colander.SchemaNode(JsonString(), description="An API key with the scope `audio`.")
    system = colander.SchemaNode(JsonString(), missing=colander.drop)
    talkgroup = colander.SchemaNode(JsonString(), missing=colander.drop)
    dateTime = colander.SchemaNode(JsonString(), missing=colander.drop)  # noqa: N815
    audio = colander.SchemaNode(FilePart(), missing=colander.drop, description="The file.")


class AudioChannel(Schema):
    """A channel."""

    channel = _text()
    frequency_mhz = nullable_node(JsonNumber(), "Null where it varies or is not known.")
    transmissions = integer_node()
    duration_s = number_node("Of all its transmissions.")
    last_at = colander.SchemaNode(Timestamp())


class AudioChannels(PageLinks):
    """All channels."""

    channels = colander.SchemaNode(JsonList(), AudioChannel(name="channel"))


class StatusCounts(Schema):
    """Transmissions by state of their transcription."""

    none = integer_node()
    queued = integer_node()
    processing = integer_node()
    done = integer_node()
    no_speech = integer_node()
    failed = integer_node()


class AudioStats(Schema):
    """Figures of a span of time."""

    transmissions = integer_node()
    duration_s = number_node()
    bytes = integer_node("Of all transmissions; a recording that several share counts for each.")
    oldest_at = nullable_node(Timestamp())
    newest_at = nullable_node(Timestamp())
    by_status = StatusCounts()
    channels = integer_node("Different channels.")
    possible_distress = integer_node("Transmissions with words of distress.")
    transcription = _text("The engine in use.")


class PlaylistQuery(PageQuery):
    """What is to be played."""

    channel = _channel()
    since = colander.SchemaNode(Timestamp(), name="from", missing=None, description="Not before this.")
    until = colander.SchemaNode(Timestamp(), name="to", missing=None, description="Before this.")


class PlaylistItem(Schema):
    """A transmission to play."""

    id = integer_node()
    at = colander.SchemaNode(Timestamp())
    channel = _text()
    duration_s = number_node()
    media_type = _text()
    file = _text("Path of its file.")


class Playlist(PageLinks):
    """Transmissions in the order they are to be played."""

    items = colander.SchemaNode(JsonList(), PlaylistItem(name="item"))
    duration_s = number_node("Of the items on this page.")
