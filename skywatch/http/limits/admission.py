"""Admission of large bodies: the server reads more than ``FREE_BODY_BYTES`` of a body only for a known sender.

The server sends such a request through the application twice. The first time it has no body and an ``Admission`` in its
environment: routes, rate limits, credentials and permissions are checked as always, and in place of the view
``admission_deriver`` decides. If the body was admitted, it is read, and the request comes with it a second time. If
not, the answer is sent to the client and the body is never read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.http.limits.limiter import Verdict
from skywatch.http.metrics import THROTTLED
from skywatch.http.path_rules import PathRules
from skywatch.http.requests.request import Request
from skywatch.security.identity import Identity
from skywatch.sentences import sentence

# So much of any body is read, into memory, whoever sends it.
FREE_BODY_BYTES = 65_536
# Bodies in flight are finished, or given up, within about this time (s).
RETRY_AFTER_S = 10
# The key of the environment.
ADMISSION = "skywatch.admission"
TOO_MANY_OF_ADDRESS = sentence(
    "http.network_sends_too_much",
    "Your network sends too much at once that does not begin with a valid key; try again later.",
)
TOO_MANY_OF_USER = sentence(
    "http.uploading_too_much", "You are uploading too much at once; try again when an upload has finished."
)


class Admission:
    """The question whether the body of a request may be read.

    ``form_value`` is the credential in the form where there is one; ``reserve`` counts the body for a user, False if
    the user may not send so much at once. ``verdict`` is that of the rate limit, which counts the request once.
    """

    def __init__(self, form_value: str, reserve: Callable[[int], bool]) -> None:
        self.form_value = form_value
        self.verdict: Verdict | None = None
        self.is_granted = False
        self._reserve = reserve

    def grant(self, identity: Identity) -> None:
        """Let the server read the body; raises Problem (429)."""
        if not self._reserve(identity.user_id):
            THROTTLED.labels("uploads").inc()
            raise Problem("rate_limited", TOO_MANY_OF_USER, headers={"Retry-After": str(RETRY_AFTER_S)})
        self.is_granted = True


def admission_of(request: Request) -> Admission | None:
    """The admission of a request with a large body, None for all others."""
    admission: Admission | None = request.environ.get(ADMISSION)
    return admission


def is_question(request: Request) -> bool:
    """Whether a request has no body yet: only the admission is asked for."""
    admission = admission_of(request)
    return admission is not None and not admission.is_granted


def admission_deriver(view: Any, info: Any) -> Any:
    """Decide about the body of a request that may reach its view."""
    if info.exception_only:
        return view

    def admitting(context: Any, request: Request) -> Any:
        admission = admission_of(request)
        if admission is None or admission.is_granted:
            return view(context, request)
        form = request.runtime.shared(PathRules).form_credentials.get(request.environ.get("PATH_INFO", ""))
        try:
            admission.grant(_identity(request) if form is None else form.identify(request, admission.form_value))
        except Problem as problem:
            if form is None:
                raise
            return form.show(problem, request)
        return Response(status=204)

    return admitting


def _identity(request: Request) -> Identity:
    if request.identity is None:
        raise Problem(
            "authentication_required",
            sentence(
                "http.body_needs_credential",
                "A body of more than {most} bytes needs a credential.",
                most=FREE_BODY_BYTES,
            ),
        )
    return request.identity


def includeme(config: Configurator) -> None:
    config.add_view_deriver(admission_deriver, "admission", under="secured_view", over="csrf_view")
