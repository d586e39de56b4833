"""Fencing: what a process accepted before another one took its place is not written any more.

A lock says who may begin. It does not stop a process that stood still meanwhile (frozen, its host asleep) and goes on
with transactions of its own. So the process with the lock stores a token of its own, and each of its transactions
reads the token first and locks its row until the commit: a transaction is either committed before another process
takes over, which waits for it, or refused.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.orm import Session, sessionmaker

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import (
    FENCE,
    SessionFactory,
    begin_writing,
    commit_without_standby,
    insert_into,
    reason,
)
from skywatch.core.database.models import FencingToken
from skywatch.core.telemetry.fault_log import LoggedError

log = logging.getLogger(__name__)


# A transaction of the process before may take so long; then it stands still amid it.
OPEN_TRANSACTION_MS = 750
# PostgreSQL's code where ``lock_timeout`` is over.
LOCK_NOT_AVAILABLE = "55P03"
# Whoever writes holds the row of its token for the time of a transaction.
_END_HOLDERS = """
SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
WHERE a.usename = current_user AND a.datname = current_database() AND a.pid <> pg_backend_pid()
AND EXISTS (SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.mode = 'RowShareLock'
            AND l.relation = 'fencing_tokens'::regclass)
"""


# Hexadecimal digits of a term: milliseconds until the year 2527.
TERM_DIGITS = 11


def next_token(before: str | None = None) -> str:
    """A token whose term is above that of ``before``: ``<term>-<random digits>``.

    The term is the wall clock in milliseconds, or one more than the term before where that is not behind: it grows
    where clocks differ, and where the database is another one.
    """
    term = max(int(time.time() * 1000), int(term_of(before or "") or "0", 16) + 1)
    return f"{term:0{TERM_DIGITS}x}-{secrets.token_hex(10)}"


def term_of(text: str) -> str:
    """The term that a token, or the epoch of a picture, begins with; empty where it has none.

    Terms have one length: the later one is the greater text.
    """
    term, dash, _ = text.partition("-")
    is_term = dash and len(term) == TERM_DIGITS and not set(term) - set("0123456789abcdef")
    return term if is_term else ""


class FencedError(LoggedError):
    """Another process has taken over: this transaction and all later ones of this process are refused.

    The process says so once, as it ends (``Fence``).
    """


class Fence:
    """The right of one process to write what ``name`` writes; nothing is checked before ``take``.

    ``on_lost`` is called by each transaction that is refused, in its thread.
    """

    def __init__(self, name: str, on_lost: Callable[[], None] = lambda: None) -> None:
        self._name = name
        self._on_lost = on_lost
        self.token = next_token()
        self._is_begun = self._is_stored = False
        self._before: str | None = None

    def take(self, sessions: SessionFactory) -> None:
        """Take over from the process before; waits for transactions that are under way there.

        Where nothing can be written at present (read-only, locked, full), the first transaction that is written does
        it, unless another process has taken over meanwhile. Raises what the database raises if it cannot be read.
        """
        with sessions() as session:
            self._before = session.scalar(self._newest())
        self.token = next_token(self._before)
        self._is_begun = True
        try:
            try:
                self._take_place(sessions)
            except sa.exc.OperationalError as error:
                if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                    raise
                self._end_open_transactions(sessions)
                self._take_place(sessions)
        except sa.exc.DBAPIError as error:
            log.warning(
                "%s: the place of the one before is taken with the first transaction: %s", self._name, reason(error)
            )

    def _take_place(self, sessions: SessionFactory) -> None:
        """Store the token; raises OperationalError where a transaction of the one before does not end."""
        with sessions() as session, session.begin():
            begin_writing(session)
            # The host that is lost may have the synchronous standby, too: without it nothing could be taken over.
            # Rows that this process writes are acknowledged after this one, by the standby as well.
            commit_without_standby(session)
            if session.get_bind().dialect.name == "postgresql":
                session.execute(sa.text(f"SET LOCAL lock_timeout TO {OPEN_TRANSACTION_MS}"))
            self._store(session)

    def _end_open_transactions(self, sessions: SessionFactory) -> None:
        """End the sessions that still hold a token's row: one that is frozen or cut off amid a transaction keeps it."""
        with sessions() as session, session.begin():
            ended = session.scalars(sa.text(_END_HOLDERS)).all()
        log.warning("%s: %d open transactions of the one before are ended", self._name, len(ended))

    def check(self, session: Session) -> None:
        """Raise FencedError where another process has taken over; otherwise none does before this transaction ends."""
        if not self._is_begun:
            return
        if self._before is None and not self._is_stored and self._store_first(session):
            return
        newest = session.scalar(self._newest().with_for_update(read=self._is_stored))
        if newest == self.token:
            self._is_stored = True
        elif newest == self._before and not self._is_stored:
            self._store(session)
        else:
            self._on_lost()
            raise FencedError("another process has taken over")

    def _newest(self) -> sa.Select[str]:
        return sa.select(FencingToken.token).where(FencingToken.name == self._name)

    def _store_first(self, session: Session) -> bool:
        """Make the row, and whether it was not there: what is not there cannot be locked, and two threads may write."""
        row = insert_into(session, FencingToken).values(name=self._name, token=self.token, taken_at=utcnow())
        return session.scalar(row.on_conflict_do_nothing().returning(FencingToken.name)) is not None

    def _store(self, session: Session) -> None:
        session.merge(FencingToken(name=self._name, token=self.token, taken_at=utcnow()))
        session.flush()


def fenced(sessions: SessionFactory, fence: Fence) -> SessionFactory:
    """A factory like this one whose transactions of ``writing`` are checked by a fence."""
    factory = sessionmaker(**sessions.kw)
    factory.configure(info={**(sessions.kw.get("info") or {}), FENCE: fence})
    return factory
