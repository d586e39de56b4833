"""Limits on requests: by user where one is known, by client address otherwise.

The addresses that exchange credentials have a bucket each, and live reads share one: they are answered from the tick
that everybody is answered from.

Every response says what is left (``X-RateLimit-Limit``, ``-Remaining``, ``-Reset`` in unix seconds); 429 says when
to come back (``Retry-After``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.addresses import client_network
from skywatch.core.problems import Problem
from skywatch.http.errors import problem_response
from skywatch.http.limiter import Limiter, Verdict
from skywatch.http.metrics import THROTTLED
from skywatch.http.request import Request
from skywatch.security.policy import OUT_OF_REACH

Handler = Callable[[Request], Response]
# Answered with its own document whatever else does not work.
HEALTH_PATH, LIVENESS_QUERY = "/api/v1/system/health", "probe=live"
BUCKETS = ("anon", "user", "live", "login", "refresh")
READS = ("GET", "HEAD")
# In the place of a bucket: the view counts its requests with ``count_request``, once it knows who asks.
BY_VIEW = "view"


def throttle_tween(handler: Handler, registry: Any) -> Handler:
    """Count the request before anything else is done for it; find out who asks on the way."""
    settings, limiter = registry["runtime"].settings, registry["limiter"]
    rates = {bucket: getattr(settings, f"throttle_{bucket}") for bucket in BUCKETS}
    exchanges: dict[tuple[str, str], str] = registry["throttle_buckets"]
    live: dict[str, None] = registry["live_reads"]

    def tween(request: Request) -> Response:
        path = request.environ.get("PATH_INFO", "")
        if path == HEALTH_PATH and request.environ.get("QUERY_STRING") == LIVENESS_QUERY:
            # Whoever starts the service anew where this fails must not be told to come back later.
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
                # Whoever presents wrong credentials is nobody, and is counted as such.
                refusal = problem if path != HEALTH_PATH else None
            except OUT_OF_REACH:
                if path != HEALTH_PATH:
                    raise
            else:
                if identity is not None:
                    bucket, subject = "user", str(identity.user_id)
                if request.method in READS and _is_live(path, live):
                    # Apart from addresses, which are no numbers.
                    bucket, subject = "live", subject if identity is None else f"user {identity.user_id}"
        verdict = limiter.hit(rates[bucket], bucket, subject, exact=bucket in ("login", "refresh"))
        if not verdict.allowed:
            THROTTLED.labels(bucket).inc()
            response = problem_response(too_many(verdict), request)
        elif refusal is not None:
            response = problem_response(refusal, request)
        else:
            response = handler(request)
        _mark(response, verdict)
        return response

    return tween


def _is_live(path: str, live: dict[str, None]) -> bool:
    return path in live or path[: path.find("/", 1) + 1] in live


def count_request(request: Request, user_id: int) -> None:
    """Count a request for the user that its view found; raises Problem (429)."""
    registry = request.registry
    verdict = registry["limiter"].hit(registry["runtime"].settings.throttle_user, "user", str(user_id))
    _refuse(verdict, "user")
    request.add_response_callback(lambda _, response: _mark(response, verdict))


def check_guesses(request: Request, *, is_wrong: bool = False) -> None:
    """Refuse an address (429) that presented wrong credentials as often as the rate ``anon`` allows requests.

    ``is_wrong`` counts one more.
    """
    registry, bucket = request.registry, "guess"
    rate, subject = registry["runtime"].settings.throttle_anon, client_network(request.client_address)
    limiter: Limiter = registry["limiter"]
    if is_wrong:
        limiter.hit(rate, bucket, subject, exact=True)
    else:
        _refuse(limiter.look(rate, bucket, subject), "anon")


def _refuse(verdict: Verdict, bucket: str) -> None:
    if not verdict.allowed:
        THROTTLED.labels(bucket).inc()
        raise too_many(verdict)


def too_many(verdict: Verdict, detail: str = "") -> Problem:
    """429 with the time to wait."""
    wait = verdict.retry_after_s
    return Problem(
        "rate_limited", detail or f"Too many requests; try again in {wait} s.", headers={"Retry-After": str(wait)}
    )


def _mark(response: Response, verdict: Verdict) -> None:
    response.headerlist.extend(
        (
            ("X-RateLimit-Limit", str(verdict.limit)),
            ("X-RateLimit-Remaining", str(verdict.remaining)),
            ("X-RateLimit-Reset", str(math.ceil(verdict.reset_at))),
        )
    )


def add_throttle_bucket(config: Configurator, method: str, path: str, bucket: str) -> None:
    """Count a method of a path in a bucket of its own, by client address; its callers are not asked who they are.

    With ``BY_VIEW`` its view counts.
    """
    if bucket not in (*BUCKETS, BY_VIEW):
        raise ValueError(f"there is no bucket {bucket}")
    config.registry["throttle_buckets"][(method, path)] = bucket


def add_live_reads(config: Configurator, path: str) -> None:
    """Count reads of a path in the bucket ``live``; ``/name/`` is everything below that part of the addresses."""
    config.registry["live_reads"][path] = None


def includeme(config: Configurator) -> None:
    config.registry["limiter"] = Limiter(config.registry["runtime"].settings)
    config.registry["throttle_buckets"] = {}
    config.registry["live_reads"] = {}
    config.add_directive("add_throttle_bucket", add_throttle_bucket)
    config.add_directive("add_live_reads", add_live_reads)
