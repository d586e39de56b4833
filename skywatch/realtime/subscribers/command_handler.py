"""Runs the commands of an admitted subscriber: topics, requests, pings, a renewed token."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import msgspec

from skywatch.core.clock import unix_now, unix_to_iso
from skywatch.core.problems import Problem
from skywatch.realtime.subscribers.authentication import Admission, credential_of_auth
from skywatch.realtime.subscribers.commands import (
    InvalidCommand,
    Ping,
    Refresh,
    Request,
    Subscribe,
    Unsubscribe,
    area_of,
    convert,
)
from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.subscribers.register import AccountsAwayError
from skywatch.realtime.subscribers.subscriptions import Subscriptions
from skywatch.realtime.topics.tile_grid import TileForm
from skywatch.realtime.wire import messages
from skywatch.realtime.wire.answers import (
    Answer,
    Error,
    Pong,
    Refreshed,
    Response,
    ServerMessage,
    Subscribed,
    Unsubscribed,
)
from skywatch.realtime.wire.outbox import Link, Outlet
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# Cost of a response with a whole snapshot, which is made for one client alone (messages).
SNAPSHOT_COST = 4


class Answers:
    """Writes messages of one protocol into the outbox of one connection."""

    def __init__(self, protocol: messages.Protocol, outbox: Outlet) -> None:
        self._protocol = protocol
        self._outbox = outbox

    def send(self, message: ServerMessage, ack: int | None = None) -> None:
        """Send a message; ``ack`` is the acknowledgement number that a Socket.IO client waits for."""
        for payload in self._protocol.encode(message, ack):
            self._outbox.push(self._protocol.frame(payload))

    def reply(self, command: messages.Command, answer: Answer) -> None:
        """Answer a command, with the id it came with if that is valid."""
        if isinstance(command.body.get("id"), str | int):
            answer.id = command.body["id"]
        self.send(answer, command.ack)


class Issuer(Protocol):
    """The interface of the admitted subscriber that sends commands."""

    hub: Hub
    link: Link
    protocol: messages.Protocol

    @property
    def answers(self) -> Answers:
        """What writes messages to it alone."""

    @property
    def is_ended(self) -> bool:
        """Whether its connection has ended."""

    @property
    def visibility(self) -> Visibility:
        """What it may see."""

    @property
    def person(self) -> str:
        """Who has their part of what people share."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background that ends with it."""

    def send_picture_state(self) -> None:
        """Send whether the picture is live."""

    def review(self, now: Problem | Admission) -> None:
        """Apply its present admission."""

    def error(self, error: Error, command: messages.Command | None = None) -> None:
        """Send an error, the answer to a command if it is one."""


class CommandHandler:
    """The commands of one session."""

    __slots__ = ("_session", "_topics")

    def __init__(self, session: Issuer, topics: Subscriptions) -> None:
        self._session = session
        self._topics = topics

    def _reply(self, command: messages.Command, answer: Answer) -> None:
        self._session.answers.reply(command, answer)

    def run(self, command: messages.Command) -> None:
        """Run one command of an admitted subscriber and answer it."""
        handler = _HANDLERS.get(command.type)
        if handler is None:
            self._session.error(
                Error.of("not_found", sentence("realtime.message_type", "There is no such message type.")), command
            )
            return
        try:
            handler(self, command)
        except InvalidCommand as error:
            self._session.error(error.message, command)

    def _check_snapshots(self) -> None:
        """Raise InvalidCommand where the person has received more snapshots than they may."""
        limits, person = self._session.hub.snapshots, self._session.person
        if limits.wait_s(person):
            after_s = limits.refuse(person)
            raise InvalidCommand(
                sentence(
                    "realtime.too_many_snapshots",
                    "You have asked for too many snapshots (realtime_snapshots_per_s); try again in {seconds} s.",
                    seconds=after_s,
                ),
                "rate_limited",
                retry_after_s=after_s,
            )

    def _subscribe(self, command: messages.Command) -> None:
        request = Subscribe(command.body)
        events = [name for name in request.topics if not self._session.hub.topics.is_live(name)]
        if request.form is not None and events:
            name = "tiles" if isinstance(request.form, TileForm) else "columns"
            raise InvalidCommand(
                sentence(
                    "realtime.format_topics",
                    'The format "{name}" is for the aircraft topics, not for {topic}.',
                    name=name,
                    topic=events[0][:32],
                )
            )
        if isinstance(request.form, TileForm) and not self._session.protocol.is_binary:
            raise InvalidCommand(
                sentence(
                    "realtime.tiles_binary",
                    'The format "tiles" needs MessagePack: the subprotocol skywatch.v1+msgpack.',
                )
            )
        opened = self._session.hub.topics.open_to(self._session.visibility)
        joined = [name for name in request.topics if name in opened]
        denied = [name for name in request.topics if name not in opened]
        if any(self._topics.was_asked_for(name) and (name not in events or name in request.since) for name in joined):
            # The first snapshot of each topic is part of being connected.
            self._check_snapshots()
        for name in joined:
            self._topics.put(name, request.area, self._session.visibility, request.form)
        self._reply(command, Subscribed(topics=self._topics.names(), joined=joined, denied=denied))
        for name in joined:
            self._topics.join(name, request.since.get(name))
        if self._session.hub.is_stale:
            self._session.send_picture_state()

    def _unsubscribe(self, command: messages.Command) -> None:
        request = convert(command.body, Unsubscribe)
        names = [name for name in dict.fromkeys(request.topics) if name in self._topics.sources]
        for name in names:
            self._topics.leave(name)
        self._reply(command, Unsubscribed(topics=names, remaining=self._topics.names()))

    def _ping(self, command: messages.Command) -> None:
        convert(command.body, Ping)
        self._reply(command, Pong(timestamp=unix_to_iso(unix_now())))

    def _request(self, command: messages.Command) -> None:
        request = convert(command.body, Request)
        if request.topic not in self._session.hub.topics.all:
            raise InvalidCommand(sentence("realtime.no_topic", "There is no such topic."), "not_found")
        if request.topic not in self._session.hub.topics.open_to(self._session.visibility):
            raise InvalidCommand(sentence("problem.permission_denied", "Permission denied."), "permission_denied")
        self._check_snapshots()
        self._session.link.charge(SNAPSHOT_COST)
        if self._session.is_ended:
            return
        area = area_of(request.bbox) if request.bbox is not None else self._topics.area_of(request.topic)
        event = self._session.hub.snapshot(self._topics.source(request.topic, area, self._session.visibility))
        data = event.packed if self._session.protocol.is_binary else event.data
        self._session.hub.snapshots.charge(self._session.person, len(data))
        answer = Response(
            method=request.method, topic=request.topic, epoch=event.epoch, seq=event.seq, data=msgspec.Raw(data)
        )
        self._reply(command, answer)

    def _refresh(self, command: messages.Command) -> None:
        try:
            credential = credential_of_auth(convert(command.body, Refresh).auth)
        except Problem as problem:
            raise InvalidCommand(problem.sentence, problem.kind.code) from None
        if credential is None:
            raise InvalidCommand(sentence("realtime.auth_token", "auth must hold a token."))
        self._session.spawn(self._take_new_token(credential, command))

    async def _take_new_token(self, credential: str, command: messages.Command) -> None:
        try:
            admission = await self._session.hub.subscribers.admit(credential)
        except Problem as problem:
            self._session.error(Error.of(problem.kind.code, problem.sentence), command)
            return
        except AccountsAwayError:
            self._session.error(
                Error.of("unavailable", sentence("realtime.token_unchecked", "The token cannot be checked now.")),
                command,
            )
            return
        if self._session.is_ended:
            return
        if admission.visibility.user_id != self._session.visibility.user_id:
            self._session.error(
                Error.of("permission_denied", sentence("realtime.other_user", "The token belongs to another user.")),
                command,
            )
            return
        self._session.review(admission)
        if not self._session.is_ended:
            self._reply(command, Refreshed(**admission.introduction()))


_HANDLERS: dict[str, Callable[[CommandHandler, messages.Command], None]] = {
    "subscribe": CommandHandler._subscribe,
    "unsubscribe": CommandHandler._unsubscribe,
    "ping": CommandHandler._ping,
    "request": CommandHandler._request,
    "refresh": CommandHandler._refresh,
}
