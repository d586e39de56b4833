"""The REST resources of transmissions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from skywatch.audio import messages, schemas, service
from skywatch.audio.form_fields import parse_channel, parse_frequency, parse_time
from skywatch.audio.ingest import Ingest, Origin
from skywatch.audio.recordings.kinds import KINDS
from skywatch.audio.recordings.store import IncomingFile
from skywatch.audio.settings import AudioSettings
from skywatch.core import events
from skywatch.core.problems import Problem, invalid, invalid_fields
from skywatch.http.clients.audit import actor_of
from skywatch.http.limits.slow_work import statistics_limiter
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.lists.pagination import PageQuery, page, page_of
from skywatch.http.lists.ranges import serve_file
from skywatch.http.requests.forms import Form, read_form
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.service import NUMBER, ApiService, Resource, api_resource, view
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

VIEW = Permission.AUDIO_VIEW
MEDIA_TYPES = ",".join(kind.media_type for kind in KINDS)
PATH = RowId()

recording = ApiService("audio.recording", f"/audio/transmissions/{{id:{NUMBER}}}/file", feature="audio")
transcribing = ApiService("audio.transcribe", f"/audio/transmissions/{{id:{NUMBER}}}/transcribe", feature="audio")
channels = ApiService("audio.channels", "/audio/channels", feature="audio")
stats = ApiService("audio.stats", "/audio/stats", feature="audio")
playlist = ApiService("audio.playlist", "/audio/playlist", feature="audio")


@api_resource("transmission", "/audio/transmissions", feature="audio")
class Transmissions(Resource):
    """Transmissions: recordings with what is known of them."""

    @view(permission=VIEW, query=schemas.TransmissionQuery(), responses={200: schemas.TransmissionList()})
    def collection_get(self) -> dict[str, Any]:
        """List transmissions

        The newest first. Filters by aircraft find only aircraft that the caller may see.
        """
        query = self.request.validated["querystring"]
        rows, count, last = service.find(self.request.db, self.request.visibility, query)
        entries = service.answers_for(self.request.db, self.request.visibility, rows, waveform=query["waveform"])
        return cursor_page(self.request, "transmissions", entries, count, last)

    @view(
        operation_id="upload_transmission",
        permission=Permission.AUDIO_UPLOAD,
        body=schemas.UploadForm(),
        body_types=("multipart/form-data",),
        responses={201: schemas.TransmissionRecord()},
        errors=(413, 415, 503),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Add a transmission

        MP3, Ogg, FLAC or WAV, and with ffmpeg on the server MPEG-4 (m4a), AAC or WebM, recognised by content, at most
        ten minutes. The same bytes may be added more than once.
        """
        ingest = self.request.runtime.shared(Ingest)
        with read_form(self.request, ingest.store.incoming, "audio") as form:
            origin = _origin(form)
            if form.file is None:
                raise invalid("audio", sentence("field.needed", "is required"))
            row, stored = ingest.take(form.file, origin, person=self.request.person)
        return messages.transmission_answer(row, stored, linked=True, waveform=True)

    @view(permission=VIEW, path=PATH, responses={200: schemas.TransmissionRecord()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a transmission with its waveform"""
        row = service.get(self.request.db, self.id)
        return service.answers_for(self.request.db, self.request.visibility, [row], waveform=True)[0]

    @view(permission=Permission.AUDIO_DELETE, path=PATH, responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Delete a transmission

        The recording goes with the last transmission that has the same bytes.
        """
        store = self.request.runtime.shared(Ingest).store
        service.delete(self.request.db, actor_of(self.request), store, self.id)
        self.request.response.status_code = 204


def _origin(form: Form[IncomingFile]) -> Origin:
    readers: dict[str, Callable[[str], Any]] = {
        "channel": parse_channel,
        "frequency_mhz": lambda text: parse_frequency(text, 1e6),
        "at": parse_time,
    }
    values: dict[str, Any] = {}
    faults: dict[str, str] = {
        name[:64]: sentence("field.unknown", "is not a known field") for name in form.texts if name not in readers
    }
    for name, read in readers.items():
        try:
            values[name] = read(form.text(name))
        except ValueError as error:
            faults[name] = str(error)
    if faults:
        raise invalid_fields(faults)
    return Origin("upload", values["channel"], values["at"], values["frequency_mhz"])


@recording.get(permission=VIEW, path=PATH, responses={200: MEDIA_TYPES, 206: MEDIA_TYPES, 304: None}, errors=(404, 416))
def get_recording(request: Request) -> Response:
    """Serve the recording of a transmission

    As it was received. Understands `Range`, `If-Range` and `If-None-Match`; the ETag is the SHA-256 of the bytes.
    """
    row = service.get(request.db, request.validated["path"]["id"])
    path = request.runtime.shared(Ingest).store.path(row.recording.path)
    return serve_file(
        request,
        path,
        row.bytes,
        row.sha256,
        row.recording.media_type,
        thing=sentence("thing.recording", "recording"),
        has=sentence("audio.range", "The recording has {count} bytes.", count=row.bytes),
    )


@transcribing.post(
    permission=Permission.AUDIO_TRANSCRIBE,
    path=PATH,
    responses={202: schemas.TransmissionRecord()},
    errors=(404, 409, 503),
)
def transcribe_transmission(request: Request) -> dict[str, Any]:
    """Have a transmission transcribed

    Starts over where it was transcribed, or tried three times. The result arrives as `audio:transcript`.
    """
    if request.runtime.settings.of(AudioSettings).transcription == "none":
        raise Problem(
            "unavailable", sentence("audio.no_engine", "No transcription engine is set (setting transcription).")
        )
    row = service.request_transcript(request.db, request.validated["path"]["id"])
    events.publish(request.db, messages.message(request.db, messages.TRANSCRIPT, row, row.recording))
    request.response.status_code = 202
    return service.answers_for(request.db, request.visibility, [row], waveform=True)[0]


@channels.get(permission=VIEW, query=PageQuery(), responses={200: schemas.AudioChannels()})
def list_audio_channels(request: Request) -> dict[str, Any]:
    """List the channels"""
    return page_of(request, "channels", service.channels(request.db))


@stats.get(permission=VIEW, query=schemas.SpanQuery(), responses={200: schemas.AudioStats()})
def get_audio_stats(request: Request) -> dict[str, Any]:
    """Count transmissions, their length and their transcripts"""
    with request.runtime.shared(statistics_limiter).turn(request.person):
        figures = service.stats(request.db, request.validated["querystring"])
    return {**figures, "transcription": request.runtime.settings.of(AudioSettings).transcription}


@playlist.get(permission=VIEW, query=schemas.PlaylistQuery(), responses={200: schemas.Playlist()})
def get_audio_playlist(request: Request) -> dict[str, Any]:
    """List what is to be played one after the other

    The oldest first; each item names the path of its file.
    """
    rows, count = service.playlist(request.db, request.validated["querystring"])
    items = [
        {
            "id": row.id,
            "at": row.at,
            "channel": row.channel,
            "duration_s": row.duration_s,
            "media_type": row.recording.media_type,
            "file": recording.address({"id": row.id}),
        }
        for row in rows
    ]
    return {**page(request, "items", items, count), "duration_s": round(sum(row.duration_s for row in rows), 3)}
