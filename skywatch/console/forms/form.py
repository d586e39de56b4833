"""Forms: every one of them holds a token bound to its session, comes from a page of our own, and is read strictly."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import colander
from pyramid.config import Configurator
from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from skywatch.accounts.identity.tokens import new_token_id
from skywatch.console.routes import RESET, SETUP, SIGN_IN, SIGN_ON, SIGNED_ON, Pages
from skywatch.console.sessions.session import Sessions, secret_of, set_cookie
from skywatch.core.problems import Problem, field_fault, invalid, invalid_request
from skywatch.core.runtime import runtime_of
from skywatch.http.clients.origins import allowed_origins
from skywatch.http.requests.forms import MEDIA_TYPE, read_upload
from skywatch.http.requests.request import Request
from skywatch.http.resources.faults import faults_of
from skywatch.security.area import area_of
from skywatch.sentences import sentence

TOKEN = "csrf_token"  # noqa: S105
# Pages that show a form to people who have no session.
VISITORS = (SIGN_IN, SIGN_ON, SIGNED_ON, RESET, SETUP)
FORM_TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 500
# Who has no session is known by a number that the page to sign in, or to set a password, gave their browser.
VISITOR_COOKIE = "skywatch_console_visitor"
VISITOR = re.compile(r"[0-9a-f]{32}")


@implementer(ICSRFStoragePolicy)
class FormTokens:
    """Pyramid asks it for the token of a form and whether a form may be accepted. Nothing is stored: a token is a keyed
    hash of the session's login, and on the pages for visitors of the visitor's number."""

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"skywatch console forms " + secret.encode()).digest()

    def new_csrf_token(self, request: Request) -> str:
        return self.get_csrf_token(request)

    def get_csrf_token(self, request: Request) -> str:
        """The token of the page's forms; on a page for visitors they get a number first."""
        if _is_for_visitors(request) and _visitor(request) is None:
            number = new_token_id()
            set_cookie(request, request.response, VISITOR_COOKIE, number)
            return self._token(f"visitor {number}")
        return self._token(self._bound_to(request))

    def check_csrf_token(self, request: Request, supplied_token: str) -> bool:
        """True, or raises Problem (403) with what to do about it."""
        if not request.runtime.shared(allowed_origins).is_own(request.headers.get("Origin"), request.host_url):
            raise Problem(
                "csrf_failed",
                sentence("console.form_from_elsewhere", "The form was not sent from a page of this console."),
            )
        sent = [value for name, value in pairs_of(request) if name == TOKEN]
        if _is_for_visitors(request) and _visitor(request) is None:
            raise Problem(
                "csrf_failed",
                sentence(
                    "console.form_cookie_missing",
                    "Your browser did not send the cookie of this form. Allow cookies here and open the page again.",
                ),
            )
        if len(sent) != 1 or not hmac.compare_digest(
            sent[0].encode("utf-8", "replace"), self._token(self._bound_to(request)).encode()
        ):
            raise Problem(
                "csrf_failed",
                sentence(
                    "console.form_of_earlier_session",
                    "The form is of an earlier session. Open its page again and send it once more.",
                ),
            )
        return True

    def _bound_to(self, request: Request) -> str:
        if _is_for_visitors(request):
            return f"visitor {_visitor(request)}"
        session = request.runtime.shared(Sessions).read(request)
        if session is None:
            raise Problem("authentication_required")
        return f"login {session.login_id}"

    def _token(self, bound_to: str) -> str:
        return hmac.new(self._key, bound_to.encode(), hashlib.sha256).hexdigest()


def protect_forms(config: Configurator) -> None:
    """Check every request to the console that may change something, whichever view answers it."""
    tokens = FormTokens(secret_of(runtime_of(config.registry).settings))
    config.set_csrf_storage_policy(tokens)
    config.set_default_csrf_options(
        require_csrf=True,
        # The field of a form is read here, strictly; without any name Pyramid would not ask at all.
        token=None,
        header="X-CSRF-Token",
        check_origin=False,
        callback=lambda request: area_of(request) is not None,
    )


def read_form(request: Request, *names: str, several: str | None = None) -> dict[str, Any]:
    """The fields of a form by name; ``several`` may come any number of times and is always there, as a list.

    Raises Problem (400) where a field is unknown or comes twice, or where the body is no form.
    """
    fields: dict[str, Any] = {several: []} if several is not None else {}
    faults = []
    for name, value in pairs_of(request):
        if name == several:
            fields[name].append(value)
        elif name not in names:
            if name != TOKEN:
                faults.append(field_fault("body", name[:64], sentence("field.unknown", "is not a known field")))
        elif name in fields:
            faults.append(field_fault("body", name, sentence("field.twice", "is given more than once")))
        else:
            fields[name] = value
    if faults:
        raise invalid_request(faults)
    return fields


def read_query(request: Request, schema: colander.SchemaNode) -> dict[str, Any]:
    """The query string by a schema of the API; fields that were left empty count as absent. Raises Problem (400)."""
    try:
        pairs = [(name, value.strip()) for name, value in request.GET.items()]
    except UnicodeDecodeError:
        raise invalid("", sentence("field.utf8", "must be UTF-8"), "querystring") from None
    return checked(schema, {name: value for name, value in pairs if value}, "querystring")


def parameter(request: Request, name: str) -> str | None:
    """A parameter of the query string; None where there is none, or where the query string is not UTF-8."""
    try:
        value: str | None = request.GET.get(name)
    except UnicodeDecodeError:
        return None
    return value


def checked(schema: colander.SchemaNode, values: Mapping[str, Any], location: str = "body") -> dict[str, Any]:
    """Values by a schema of the API; raises Problem (400) that names every fault."""
    try:
        fields: dict[str, Any] = schema.deserialize(dict(values))
    except colander.Invalid as error:
        faults = [field_fault(location, name, detail) for name, detail in faults_of(error).items()]
        raise invalid_request(faults) from None
    return fields


def pairs_of(request: Request) -> list[tuple[str, str]]:
    """The fields of a form in the order in which they were sent; raises Problem (400, 415) where the body is none."""
    if request.content_type == MEDIA_TYPE and request.environ.get("PATH_INFO") in request.runtime.shared(Pages).uploads:
        return read_upload(request).texts
    if request.content_type != FORM_TYPE:
        raise Problem("unsupported_media_type", sentence("console.body_form", "The body must be a form."))
    try:
        return parse_qsl(
            request.body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError:
        raise Problem("malformed_body", sentence("form.unreadable", "The form cannot be read.")) from None


def _is_for_visitors(request: Request) -> bool:
    return request.environ.get("PATH_INFO") in VISITORS


def _visitor(request: Request) -> str | None:
    number = request.cookies.get(VISITOR_COOKIE, "")
    return number if VISITOR.fullmatch(number) else None
