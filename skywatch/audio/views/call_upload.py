"""rdio-scanner's call upload, as trunk-recorder and SDRTrunk send it: an API key within the form, answers as text."""

from __future__ import annotations

from typing import Any

import msgspec
from pyramid.response import Response

from skywatch.audio import schemas
from skywatch.audio.form_fields import MAX_CHANNEL, parse_channel, parse_frequency, parse_time
from skywatch.audio.ingest import Ingest, Origin
from skywatch.audio.recordings.store import IncomingFile
from skywatch.core.problems import Problem
from skywatch.http.authentication import feature_context, identify_key
from skywatch.http.limits.throttle import check_guesses, count_request
from skywatch.http.path_rules import FormCredential
from skywatch.http.requests.forms import Form, check_form, find_text, read_form
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import ApiService
from skywatch.security.identity import Identity, person_of
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.security.policy import decide
from skywatch.sentences import sentence

PATH = "/api/call-upload"
TEXT = "text/plain"
IMPORTED, NO_TALKGROUP = "Call imported successfully.\n", "Incomplete call data: no talkgroup\n"

call_upload = ApiService("audio.call_upload", PATH, feature=None, absolute=True, tag="audio")


@call_upload.post(
    permission=ViewPermission.OPEN,
    body=schemas.CallForm(),
    body_types=("multipart/form-data",),
    responses={
        200: TEXT,
        417: TEXT,
        **dict.fromkeys((400, 401, 403, 413, 415, 429, 500, 503), f"{TEXT},application/problem+json"),
    },
)
def upload_call(request: Request) -> Response:
    """Add a call as rdio-scanner takes it

    The form's `key` is an API key of a user with `audio.upload`, other credentials are not looked at. It should stand
    before the recording: what comes before it is limited for each network and in all. The answer is text:
    `Call imported successfully.`, or what is wrong.
    """
    ingest = request.runtime.shared(Ingest)
    try:
        # Before anything is stored.
        identity = identify(request, find_text(request, CREDENTIAL.field))
        count_request(request, identity.user_id)
        with read_form(request, ingest.store.incoming, "audio") as form:
            return _import(ingest, form, person_of(identity, request.client_address))
    except Problem as problem:
        return show_problem(problem, request)


def identify(request: Request, key: str) -> Identity:
    """The owner of the key in a form, who may upload; raises Problem (401, 403, 415, 429)."""
    check_form(request)
    check_guesses(request)
    try:
        identity = identify_key(request, key)
    except Problem:
        check_guesses(request, is_wrong=True)
        raise Problem("token_invalid", sentence("audio.key_invalid", "Invalid API key.")) from None
    if not decide(feature_context(request, "audio"), identity, Permission.AUDIO_UPLOAD):
        count_request(request, identity.user_id)
        raise Problem("permission_denied", sentence("audio.key_no_upload", "The API key may not upload audio."))
    return identity


def show_problem(problem: Problem, request: Request) -> Response:
    """A problem as rdio-scanner's clients show it."""
    answer = _answer(problem.kind.status, f"{problem.detail}\n")
    answer.headers.update(problem.headers)
    return answer


CREDENTIAL = FormCredential("key", identify, show_problem)


def _import(taking: Ingest, form: Form[IncomingFile], person: str) -> Response:
    if form.text("test") or not form.text("talkgroup"):
        return _answer(417, NO_TALKGROUP)
    if form.file is None or not form.file.size:
        return _answer(417, "Incomplete call data: no audio\n")
    try:
        origin = _origin(form)
    except ValueError as error:
        return _answer(417, f"Incomplete call data: {error}\n")
    taking.take(form.file, origin, person=person)
    return _answer(200, IMPORTED)


def _origin(form: Form[IncomingFile]) -> Origin:
    system = form.text("systemLabel") or form.text("system")
    talkgroup = form.text("talkgroupLabel") or form.text("talkgroup")
    try:
        at = parse_time(form.text("dateTime"))
        channel = parse_channel(f"{system} {talkgroup}"[:MAX_CHANNEL])
    except ValueError as error:
        raise ValueError(sentence("audio.datetime_or_labels", "dateTime or labels: {error}", error=error)) from None
    return Origin("call-upload", channel, at, _frequency(form))


def _frequency(form: Form[IncomingFile]) -> int | None:
    """The frequency of a call: its own, or the first of those it was heard on. A wrong one is no reason to refuse."""
    texts = [form.text("frequency")]
    try:
        frequencies: Any = msgspec.json.decode(form.text("frequencies") or "[]")
        texts += [str(entry["freq"]) for entry in frequencies[:1]]
    except (msgspec.DecodeError, TypeError, KeyError):
        pass
    for text in texts:
        try:
            if hertz := parse_frequency(text, 1):
                return hertz
        except ValueError:
            continue
    return None


def _answer(status: int, text: str) -> Response:
    return Response(status=status, text=text, content_type=TEXT, charset="utf-8")
