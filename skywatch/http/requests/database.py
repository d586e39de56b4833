"""One database session a request, opened at first use.

Safe methods only read: their session is closed at the end without a commit. All others are bound to the request's
transaction and take SQLite's write lock at once. Responses of 400 and above roll back: what must survive a refusal
(an audit entry, a failed login), and what a safe method has to write, needs a transaction of its own.
"""

from __future__ import annotations

from pyramid.config import Configurator
from sqlalchemy.orm import Session

from skywatch.core.database.engine import begin_writing
from skywatch.core.runtime import runtime_of
from skywatch.http.requests.request import Request

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def request_session(request: Request) -> Session:
    """The session of this request (``request.db``)."""
    session: Session = request.runtime.sessions()
    if writes(request):
        # With it comes the driver of PostgreSQL where it is installed, on SQLite too: 9 MB.
        import zope.sqlalchemy

        zope.sqlalchemy.register(session, transaction_manager=request.tm)
        begin_writing(session)
    else:
        request.add_finished_callback(lambda request: session.close())
    return session


def writes(request: Request) -> bool:
    """Whether a request has a transaction: reads of the live picture are 10% cheaper without one."""
    return request.method not in SAFE_METHODS


def includeme(config: Configurator) -> None:
    config.add_settings(
        {
            "tm.manager_hook": "pyramid_tm.explicit_manager",
            "tm.activate_hook": "skywatch.http.requests.database.writes",
            "tm.commit_veto": "pyramid_tm.default_commit_veto",
            # The transaction must not look up the identity: some requests are answered without it.
            "tm.annotate_user": False,
        }
    )
    config.include("pyramid_tm")
    config.add_request_method(request_session, "db", reify=True)
    config.add_request_method(lambda request: runtime_of(request.registry), "runtime", reify=True)
