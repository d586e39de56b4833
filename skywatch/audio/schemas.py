"""What the audio resources take and answer."""

from __future__ import annotations

import colander

from skywatch.audio.vocabulary import Status
from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    FilePart,
    IcaoAddress,
    JsonNumber,
    JsonString,
    QueryBoolean,
    QueryNumber,
    QueryString,
    Schema,
    Timestamp,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)

STATUSES = tuple(status.value for status in Status)


def _text(description: str = "") -> colander.SchemaNode:
    return node(JsonString(multiline=True), description)


class TranscriptSegment(Schema):
    """A part of a transcript."""

    begin_s = number_node("From the begin of the recording (s).")
    end_s = number_node("From the begin of the recording (s).")
    text = _text()


class TransmissionRecord(Schema):
    """A transmission."""

    id = integer_node()
    at = timestamp_node("When it began.")
    received_at = timestamp_node("When it was stored.")
    channel = _text()
    frequency_mhz = nullable_node(JsonNumber())
    duration_s = number_node()
    media_type = _text("audio/mpeg, audio/ogg, audio/flac or audio/wav.")
    bytes = integer_node()
    sha256 = _text("Of the recording; the ETag of its file.")
    peak_db = nullable_node(JsonNumber(), "Highest level (dBFS); null in silence.")
    loudness_lufs = nullable_node(JsonNumber(), "Integrated loudness (EBU R 128); null in silence.")
    status = choice_node(STATUSES, "Of the transcription.")
    reason = nullable_node(JsonString(), "Why there is no transcript.")
    transcript = nullable_node(JsonString(multiline=True))
    segments = list_node(TranscriptSegment(name="segment"))
    icao_hex = nullable_node(JsonString(), "Aircraft that was named and within range then.")
    callsign = nullable_node(JsonString())
    flags = list_node(string_node(name="flag"), "`truncated`, `possible_distress`.")
    source = _text("`upload`, `call-upload` or `folder:NAME`.")
    waveform = list_node(
        number_node().clone(), "200 peaks, 0 to 1; in lists with `waveform=true`.", missing=colander.drop
    )


class TransmissionList(PageLinks):
    """A page of transmissions."""

    transmissions = list_node(TransmissionRecord(name="transmission"))


class SpanQuery(Schema):
    """A span of time."""

    since = timestamp_node("Not before this.", name="from", missing=None)
    until = timestamp_node("Before this.", name="to", missing=None)


def _channel() -> colander.SchemaNode:
    return node(QueryString(), "Name of the channel.", missing=None, validator=colander.Length(max=120))


class TransmissionQuery(CursorQuery):
    """Filters of transmissions."""

    channel = _channel()
    frequency_mhz = node(QueryNumber(), "Within 500 Hz.", missing=None, validator=colander.Range(0, 100_000))
    status = node(QueryString(), "Of the transcription.", missing=None, validator=colander.OneOf(STATUSES))
    min_duration_s = node(QueryNumber(), "At least this long.", missing=None, validator=colander.Range(0, 600))
    icao_hex = node(IcaoAddress(), "Aircraft, in either case.", missing=None)
    callsign = node(QueryString(), "Aircraft, in either case.", missing=None, validator=colander.Length(max=8))
    since = timestamp_node("Not before this.", name="from", missing=None)
    until = timestamp_node("Before this.", name="to", missing=None)
    q = node(QueryString(), "Part of the transcript.", missing=None, validator=colander.Length(max=100))
    waveform = node(QueryBoolean(), "With the waveforms.", missing=False)


class UploadForm(Schema):
    """A transmission to store."""

    audio = node(FilePart(), "The file: MP3, Ogg, FLAC, WAV, m4a, AAC or WebM.")
    channel = string_node("Name of the channel.")
    frequency_mhz = string_node(missing=colander.drop)
    at = string_node("When it began; otherwise now.", missing=colander.drop)


class CallForm(Schema):
    """rdio-scanner's call upload; other fields are passed over."""

    key = string_node("An API key with the scope `audio`.")
    system = string_node(missing=colander.drop)
    talkgroup = string_node(missing=colander.drop)
    dateTime = string_node(missing=colander.drop)  # noqa: N815
    audio = node(FilePart(), "The file.", missing=colander.drop)


class AudioChannel(Schema):
    """A channel."""

    channel = _text()
    frequency_mhz = nullable_node(JsonNumber(), "Null where it varies or is not known.")
    transmissions = integer_node()
    duration_s = number_node("Of all its transmissions.")
    last_at = timestamp_node()


class AudioChannels(PageLinks):
    """All channels."""

    channels = list_node(AudioChannel(name="channel"))


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
    since = timestamp_node("Not before this.", name="from", missing=None)
    until = timestamp_node("Before this.", name="to", missing=None)


class PlaylistItem(Schema):
    """A transmission to play."""

    id = integer_node()
    at = timestamp_node()
    channel = _text()
    duration_s = number_node()
    media_type = _text()
    file = _text("Path of its file.")


class Playlist(PageLinks):
    """Transmissions in the order they are to be played."""

    items = list_node(PlaylistItem(name="item"))
    duration_s = number_node("Of the items on this page.")
