"""What packages declare about paths while the application is configured: limits, credentials in forms, problem pages.

Each kind has a directive of the configurator. Views and tweens read the rules; nothing changes them afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.http.requests.request import Request
from skywatch.security.area import Area, Areas
from skywatch.security.identity import Identity

ProblemPage = Callable[[Problem, Request], Response]
BUCKETS = ("anon", "user", "live", "login", "refresh")
# Instead of a bucket: the view counts its requests with ``count_request`` once it has identified the user.
BY_VIEW = "view"


@dataclass(frozen=True)
class FormCredential:
    """How the senders of a path's multipart forms are identified: by the value of ``field``.

    ``identify`` raises Problem where they are not; ``show`` is the response for it.
    """

    field: str
    identify: Callable[[Request, str], Identity]
    show: Callable[[Problem, Request], Response]


class PathRules:
    """The rules of one installation. They are the same for each of its applications."""

    def __init__(self, runtime: Runtime) -> None:
        # Method and path -> bucket of the rate limit.
        self.throttle_buckets: dict[tuple[str, str], str] = {}
        # Paths whose reads are counted in the bucket ``live``; ``/name/`` is everything below.
        self.live_reads: set[str] = set()
        # Beginning of a path -> largest body (bytes).
        self.body_limits: dict[str, int] = {}
        self.form_credentials: dict[str, FormCredential] = {}
        self.problem_pages: dict[str, ProblemPage] = {}


def _rules(config: Configurator) -> PathRules:
    return runtime_of(config.registry).shared(PathRules)


def add_throttle_bucket(config: Configurator, method: str, path: str, bucket: str) -> None:
    """Count a method of a path in a bucket of its own, by client address, without looking up the identity.

    With ``BY_VIEW`` the view counts.
    """
    if bucket not in (*BUCKETS, BY_VIEW):
        raise ValueError(f"there is no bucket {bucket}")
    _rules(config).throttle_buckets[(method, path)] = bucket


def add_live_reads(config: Configurator, path: str) -> None:
    """Count reads of a path in the bucket ``live``; ``/name/`` is everything below that part of the addresses."""
    _rules(config).live_reads.add(path)


def add_body_limit(config: Configurator, path: str, max_bytes: int) -> None:
    """Accept bodies of up to ``max_bytes`` at and below a path."""
    _rules(config).body_limits[path] = max_bytes


def add_form_credential(config: Configurator, path: str, credential: FormCredential) -> None:
    """Identify the senders of a path by its forms; other credentials of their requests are ignored."""
    _rules(config).form_credentials[path] = credential


def add_problem_page(config: Configurator, path: str, show: ProblemPage) -> None:
    """Show the problems of a path as a page to clients that prefer one.

    Views there declare ``responses`` of JSON in addition to ``text/html``, which documents their problems' page too.
    """
    _rules(config).problem_pages[path] = show


def add_area(config: Configurator, area: Area) -> None:
    """Add an area."""
    runtime_of(config.registry).shared(Areas).add(area)


def includeme(config: Configurator) -> None:
    """Add the directives."""
    for directive in (
        add_throttle_bucket,
        add_live_reads,
        add_body_limit,
        add_form_credential,
        add_problem_page,
        add_area,
    ):
        config.add_directive(directive.__name__, directive)
