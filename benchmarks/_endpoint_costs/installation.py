"""A populated installation in this process, on SQLite: its application, an administrator, and rows to ask about."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pyramid.router import Router
from webob import Request

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.picture import picture, trails_of
from benchmarks._endpoint_costs.subjects import SAME, SUBJECTS
from benchmarks._people import NAME, PASSWORD
from skywatch import make_app
from skywatch.accounts.defaults import install
from skywatch.accounts.identity.caller import CLI_CALLER
from skywatch.accounts.identity.tokens import TokenCodec
from skywatch.accounts.login_tokens import start_login
from skywatch.accounts.models import User
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.accounts.users.service import create_user
from skywatch.alerts.models import Watchlist
from skywatch.core.bus import Message, topics
from skywatch.core.database.engine import writing
from skywatch.core.database.migrations import upgrade
from skywatch.core.process.version import VERSION
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor
from skywatch.features import load
from skywatch.http.openapi.document import document
from skywatch.picture.distribution import follower
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.remote import TrailServer
from tests.functional.sso.signing_on import settings_for
from tests.providers import FakeProvider, fake_provider

STATION = (47.45, 8.56)
# A picture out of date is aged for every request, which is not what is measured.
PATIENCE_S = 1e6


@dataclass(frozen=True)
class Sizes:
    """How much there is: aircraft in the sky, rows of a table, known aircraft, aircraft recorded over a day,
    rows of the largest import, and seconds of the longest recording."""

    aircraft: int
    rows: int
    known: int
    flown: int
    imported: int
    sounds_s: int


@dataclass
class Installation:
    """The application with its means; ``user_id`` is the administrator who makes the requests."""

    runtime: Runtime
    application: Router
    sizes: Sizes
    user_id: int
    sky: Sky
    provider: FakeProvider
    password: str = PASSWORD

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self._ids: dict[Any, Iterator[int]] = {}

    def document(self) -> dict[str, Any]:
        """The OpenAPI document."""
        services = self.application.registry.cornice_services.values()
        described: dict[str, Any] = document(services, VERSION, self.runtime.features)
        return described

    def request(self, method: str, ask: Ask) -> Request:
        """The request as the WSGI server would hand it over, with the administrator's credentials."""
        headers = ask.headers if "Authorization" in ask.headers else {"Authorization": f"Bearer {self.login()[0]}"}
        request = Request.blank(ask.path, method=method, headers={k: v for k, v in headers.items() if v})
        request.environ["REMOTE_ADDR"] = "127.0.0.1"
        request.environ.setdefault("HTTP_ACCEPT_ENCODING", "gzip")
        if ask.body is not None:
            request.body = ask.body
            request.content_type = ask.content_type
        return request

    def answer(self, method: str, ask: Ask) -> bytes:
        """The body of an answer that is not measured."""
        status, _, pieces = self.request(method, ask).call_application(self.application)
        body = b"".join(pieces)
        if not status.startswith("2"):
            raise RuntimeError(f"{method} {ask.path}: {status} {body[:500]!r}")
        return body

    def login(self) -> tuple[str, str]:
        """Access and refresh token of a new login."""
        with writing(self.runtime.sessions) as session:
            user = session.get_one(User, self.user_id)
            actor = Actor(NAME, "jwt", user.id, "127.0.0.1")
            pair = start_login(session, TokenCodec(self.runtime.settings), user, "password", actor)
        return pair.access, pair.refresh

    def number(self) -> int:
        """A number that no request had before."""
        return next(self._numbers)

    def another(self, subject: Any) -> int:
        """The id of a row that no request was about before: of a table, or by a name in ``SUBJECTS``."""
        following = None if subject in SAME else next(self._ids.get(subject, iter(())), None)
        if following is None:
            with self.runtime.sessions() as session:
                self._ids[subject] = iter(session.scalars(self._query(subject)).all())
            following = next(self._ids[subject], None)
        if following is None:
            raise RuntimeError(f"there is no {subject} left")
        return following

    def _query(self, subject: Any) -> sa.Select[Any]:
        if isinstance(subject, str):
            return SUBJECTS[subject](self.user_id)
        own = subject.user_id == self.user_id if hasattr(subject, "user_id") else sa.true()
        return sa.select(subject.id).where(own).order_by(subject.id)

    def remove(self, table: Any, **values: Any) -> None:
        """Delete what the administrator has of a table, all or that with these values."""
        with writing(self.runtime.sessions) as session:
            session.execute(sa.delete(table).filter_by(user_id=self.user_id, **values))

    def new_list(self) -> int:
        """The id of an empty watch list, the only one of its name."""
        name = "Imported"
        self.remove(Watchlist, name=name)
        made = self.answer("POST", Ask(f"{API}/alerts/watchlists/", json_bytes({"name": name})))
        return int(json.loads(made)["id"])

    def set_all(self, table: Any, **values: Any) -> None:
        """Give all rows of a table these values."""
        with writing(self.runtime.sessions) as session:
            session.execute(sa.update(table).values(**values))

    def forget(self) -> None:
        """Publish the picture again: answers that were built for a tick are rebuilt."""
        self.sky = replace(self.sky, seq=self.sky.seq + 1, scratch={})
        self.runtime.bus.publish(Message(topics.PICTURE, "tick", b"", snapshot=True, local=self.sky))


@contextmanager
def installation(folder: Path, sizes: Sizes) -> Iterator[Installation]:
    """An installation with an administrator and a sky, without other rows."""
    patience_s, follower.SILENT_AFTER_S = follower.SILENT_AFTER_S, PATIENCE_S
    plenty = {
        f"default_throttle_rates.{bucket}": "100000000/minute"
        for bucket in ("anon", "user", "live", "login", "refresh", "dry_run")
    }
    ini = {
        "environment": "development",
        "database_url": f"sqlite:///{folder}/bench.sqlite",
        "auth_mode": "hybrid",
        "mcp_enabled": "true",
        "station_lat": str(STATION[0]),
        "station_lon": str(STATION[1]),
        "receiver.roof": "simulate",
        "audio_directory": str(folder / "audio"),
        "transcription": "openai",
        "transcription_url": "http://127.0.0.1:9",
        **plenty,
    }
    with fake_provider() as provider:
        runtime = Runtime.open(load(ini | settings_for(provider), {}))
        try:
            yield from _opened(runtime, sizes, provider)
        finally:
            runtime.close()
            follower.SILENT_AFTER_S = patience_s


def _opened(runtime: Runtime, sizes: Sizes, provider: FakeProvider) -> Iterator[Installation]:
    upgrade(runtime.engine)
    with writing(runtime.sessions) as session:
        install(session)
        fields = UserCreateFields(username=NAME, email="bench@example.org", password=PASSWORD, roles=["superadmin"])
        user_id = create_user(session, CLI_CALLER, fields).id
    sky = picture(sizes.aircraft)
    made = Installation(runtime, make_app(runtime), sizes, user_id, sky, provider)
    trails = TrailServer(runtime.bus, trails_of(sky))
    made.forget()
    yield made
    trails.close()
