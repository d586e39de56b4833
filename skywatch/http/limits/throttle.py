"""Rate limits: by user if the request has an identity, by client address otherwise.

Addresses that exchange credentials have a bucket each. Reads of readsb's files, for which programs ask every second,
share one: they are answered from the same tick for all callers.

Every response has ``X-RateLimit-Limit``, ``-Remaining`` and ``-Reset`` (unix seconds); 429 has ``Retry-After``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from typing import Any

from pyramid.response import Response

from skywatch.core.network.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.core.runtime import runtime_of
from skywatch.http.errors import problem_response
from skywatch.http.limits.admission import admission_of
from skywatch.http.limits.limiter import Verdict, rate_limiter
from skywatch.http.metrics import THROTTLED
from skywatch.http.path_rules import BUCKETS, BY_VIEW, PathRules
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.security.permissions import ViewPermission
from skywatch.security.policy import OUT_OF_REACH
from skywatch.sentences import Sentence, sentence

Handler = Callable[[Request], Response]
# Answered even if nothing else works.
DOCUMENTATION = "/api/v1/docs/"
HEALTH_PATH, LIVENESS_QUERY = "/api/v1/system/health", "probe=live"
READS = ("GET", "HEAD")
# Where a view leaves the verdict of a further bucket.
VERDICT = "skywatch.throttle_verdict"


def throttle_tween(handler: Handler, registry: Any) -> Handler:
    """Count the request before any other work; this looks up the identity."""
    runtime = runtime_of(registry)
    limiter, rules = runtime.shared(rate_limiter), runtime.shared(PathRules)
    rates = {bucket: getattr(runtime.settings, f"throttle_{bucket}") for bucket in BUCKETS}
    exchanges, live = rules.throttle_buckets, rules.live_reads
    services = registry.cornice_services.values()
    open_paths = frozenset(
        s.path for s in services if any(args["permission"] == ViewPermission.OPEN for _, _, args in s.definitions)
    )

    def is_open(path: str) -> bool:
        """Whether what is at a path needs no credential, so that those of a request are not read."""
        return path in open_paths or path.startswith(DOCUMENTATION)

    def tween(request: Request) -> Response:
        path = request.environ.get("PATH_INFO", "")
        if path == HEALTH_PATH and request.environ.get("QUERY_STRING") == LIVENESS_QUERY:
            # A supervisor that restarts the service when this fails must never get a 429.
            return handler(request)
        bucket = exchanges.get((request.method, path))
        if bucket == BY_VIEW:
            return handler(request)
        subject, refusal = client_network(request.client_address), None
        if bucket is None:
            bucket = "anon"
            try:
                identity = request.identity
            except Problem as problem:
                # Invalid credentials count as none.
                refusal = problem if not is_open(path) else None
            except OUT_OF_REACH:
                if not is_open(path):
                    raise
            else:
                if identity is not None:
                    bucket, subject = "user", str(identity.user_id)
                if request.method in READS and _is_live(path, live):
                    # The prefix separates user ids from addresses.
                    bucket, subject = "live", subject if identity is None else f"user {identity.user_id}"
        admission = admission_of(request)
        if admission is not None and admission.verdict is not None:
            # Counted when its body was admitted.
            verdict = admission.verdict
        else:
            verdict = limiter.hit(rates[bucket], bucket, subject, exact=bucket in ("login", "refresh"))
            if admission is not None:
                admission.verdict = verdict
        if not verdict.allowed:
            THROTTLED.labels(bucket).inc()
            response = problem_response(too_many(verdict), request)
        elif refusal is not None:
            response = problem_response(refusal, request)
        else:
            response = handler(request)
        _mark(response, request.environ.get(VERDICT, verdict))
        return response

    return tween


def _is_live(path: str, live: Container[str]) -> bool:
    return path in live or path[: path.find("/", 1) + 1] in live


def count_request(request: Request, user_id: int) -> None:
    """Count a request for the user that its view identified; raises Problem (429)."""
    rate = request.runtime.settings.of(HttpSettings).throttle_user
    verdict = request.runtime.shared(rate_limiter).hit(rate, "user", str(user_id))
    _refuse(verdict, "user")
    request.add_response_callback(lambda _, response: _mark(response, verdict))


def count_in(request: Request, bucket: str, rate: str) -> None:
    """Count a request in a bucket of its own as well, of its user or else of its address; raises Problem (429).

    The response shows this limit instead of the general one.
    """
    verdict = request.environ[VERDICT] = request.runtime.shared(rate_limiter).hit(rate, bucket, subject_of(request))
    _refuse(verdict, bucket)


def subject_of(request: Request) -> str:
    """The subject of a limit: the user, or else the client's network."""
    identity = request.identity
    return client_network(request.client_address) if identity is None else f"user {identity.user_id}"


def check_guesses(request: Request, *, is_wrong: bool = False) -> None:
    """Refuse an address (429) that sent invalid credentials as often as the rate ``anon`` allows requests.

    ``is_wrong`` counts one more.
    """
    limiter, bucket = request.runtime.shared(rate_limiter), "guess"
    rate = request.runtime.settings.of(HttpSettings).throttle_anon
    subject = client_network(request.client_address)
    if is_wrong:
        limiter.hit(rate, bucket, subject, exact=True)
    else:
        _refuse(limiter.look(rate, bucket, subject), "anon")


def _refuse(verdict: Verdict, bucket: str) -> None:
    if not verdict.allowed:
        THROTTLED.labels(bucket).inc()
        raise too_many(verdict)


def too_many(verdict: Verdict, detail: Sentence | None = None) -> Problem:
    """429 with the time to wait."""
    wait = verdict.retry_after_s
    return Problem(
        "rate_limited",
        detail or sentence("http.too_many_requests", "Too many requests; try again in {seconds} s.", seconds=wait),
        headers={"Retry-After": str(wait)},
    )


def _mark(response: Response, verdict: Verdict) -> None:
    response.headerlist.extend(
        (
            ("X-RateLimit-Limit", str(verdict.limit)),
            ("X-RateLimit-Remaining", str(verdict.remaining)),
            ("X-RateLimit-Reset", str(math.ceil(verdict.reset_at))),
        )
    )
