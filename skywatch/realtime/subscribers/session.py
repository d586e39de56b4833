"""One subscriber from the open WebSocket to its end: admission, commands, topics, changed rights."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from skywatch.core.clock import unix_now, unix_to_iso
from skywatch.core.problems import Problem
from skywatch.realtime.connections import closing
from skywatch.realtime.connections.authentication import Admission, Offer, credential_of_auth
from skywatch.realtime.connections.closing import Closing, Refusal
from skywatch.realtime.connections.frames import Encoder
from skywatch.realtime.connections.link import Link
from skywatch.realtime.connections.queues import Outlet
from skywatch.realtime.events.published import Stream
from skywatch.realtime.hub import Hub
from skywatch.realtime.protocols import base, socketio
from skywatch.realtime.sky.aircraft import View
from skywatch.realtime.subscribers.answers import Answers
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
from skywatch.realtime.subscribers.subscriptions import Subscriptions
from skywatch.security.visibility import Visibility

# Commands that a client may send before it is admitted; a library may write connect and subscribe at once.
EARLY_COMMANDS = 16
# Cost of a response with a whole snapshot, which is made for one client alone (messages).
SNAPSHOT_COST = 4


class Session:
    """A subscriber. All methods run on the server's loop.

    ``refusal`` is the reason why it is not admitted with any credential; it is sent as the answer to its connect.
    """

    def __init__(self, hub: Hub, link: Link, outbox: Outlet, protocol: base.Protocol) -> None:
        self.hub = hub
        self._use(link, outbox, protocol)
        self.state: Literal["new", "connecting", "ready", "ended"] = "new"
        self.offer = Offer()
        self.refusal: Refusal | None = None
        self.admission: Admission | None = None
        self._topics = Subscriptions(hub, self)
        self.subscriptions: Mapping[str, View | Stream] = self._topics.sources
        self._early: deque[base.Command] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        for payload in protocol.opened():
            outbox.push(self._frame(payload))

    def _use(self, link: Link, outbox: Outlet, protocol: base.Protocol) -> None:
        self.link = link
        self.outbox = outbox
        self.protocol = protocol
        self.variant: tuple[Encoder, bool] = (protocol.encode_event, link.deflate)
        self._answers = Answers(protocol, outbox)

    def move(self, link: Link, outbox: Outlet, protocol: base.Protocol, waiting: list[bytes]) -> None:
        """Continue on another connection, with the payloads queued for the one before."""
        self._use(link, outbox, protocol)
        for payload in waiting:
            outbox.push(self._frame(payload))
        self.drained()

    def _frame(self, payload: bytes) -> bytes:
        return self.protocol.frame(payload)

    # Being let in

    def connect(self, credential: str | None) -> None:
        """Check the credential in the background, then admit or refuse the client."""
        self.state = "connecting"
        self._spawn(self._admit(credential))

    async def _admit(self, credential: str | None) -> None:
        try:
            admission = await self.hub.connection_authenticator.admit(credential)
        except Problem as problem:
            self.refuse(closing.wrong_credential(problem))
            return
        except Exception as error:
            self.hub.accounts_failed(error)
            self.refuse(closing.ACCOUNTS_AWAY)
            return
        self.hub.account_faults.succeeded()
        if self.state != "connecting":
            return
        if admission.identity is None and self.hub.connection_authenticator.mode == "private":
            self.refuse(closing.CREDENTIAL_REQUIRED)
        elif not admission.topics:
            self.refuse(closing.NO_TOPIC)
        elif not self.hub.enter(self, admission):
            self.refuse(closing.USER_HAS_ENOUGH)
        else:
            self.admission = self._placed(admission)
            self.state = "ready"
            for payload in self.protocol.welcomed():
                self.outbox.push(self._frame(payload))
            self.send("connected", {**admission.introduction(), "heartbeat_s": self.hub.heartbeat_s})
            while self._early and self.state == "ready":
                self._obey(self._early.popleft())

    def refuse(self, refusal: Refusal) -> None:
        """Refuse the client with a reason."""
        if self.state != "ended":
            self.outbox.push(self._frame(self.protocol.refused(refusal.closing.message, refusal.data)))
            self.end(refusal.closing)

    # What the client says

    def received(self, payload: bytes) -> None:
        """Handle one text message."""
        if self.state == "ended":
            return
        try:
            action = self.protocol.read(payload)
        except socketio.OtherNamespace as error:
            self.outbox.push(self._frame(error.answer))
            return
        except base.BadMessage as error:
            self.error("malformed_body", str(error), error.command)
            return
        except base.BadPacket:
            self.end(closing.PROTOCOL_ERROR)
            return
        match action:
            case base.Connect(auth):
                self._on_connect(auth)
            case base.Leave():
                self.end(closing.CLIENT_LEFT)
            case base.Command() if self.state == "ready":
                self._obey(action)
            case base.Command() if self.state == "connecting" and len(self._early) < EARLY_COMMANDS:
                self._early.append(action)
            case base.Command():
                self.error("authentication_required", "Connect first.", action)

    def _on_connect(self, auth: Any) -> None:
        if self.refusal is not None:
            self.refuse(self.refusal)
            return
        try:
            credential = credential_of_auth(auth)
        except Problem as problem:
            self.refuse(closing.wrong_credential(problem))
            return
        offered = self.offer.credential
        if self.state == "new":
            if credential is not None and offered is not None and credential != offered:
                self.refuse(closing.TWO_CREDENTIALS)
            else:
                self.connect(credential or offered or self.offer.cookie)
        elif credential is not None and credential != offered:
            # Connected already: two credentials are one too many.
            self.error("conflict", "This connection has its credential; use refresh to change it.")

    def _obey(self, command: base.Command) -> None:
        handler = _HANDLERS.get(command.type)
        if handler is None:
            self.error("not_found", "There is no such message type.", command)
            return
        try:
            handler(self, command)
        except InvalidCommand as error:
            self.error(error.code, str(error), command)

    def _subscribe(self, command: base.Command) -> None:
        request = Subscribe(command.body)
        events = [name for name in request.topics if not self.hub.topics.is_live(name)]
        if request.form is not None and events:
            raise InvalidCommand(f'The format "columns" is for the aircraft topics, not for {events[0][:32]}.')
        opened = self.hub.topics.open_to(self._may)
        joined = [name for name in request.topics if name in opened]
        denied = [name for name in request.topics if name not in opened]
        for name in joined:
            self._topics.put(name, request.area, self._may, request.form)
        self._answers.reply(command, "subscribed", {"topics": self._topics.names(), "joined": joined, "denied": denied})
        for name in joined:
            self._topics.join(name, request.since.get(name))
        if self.hub.is_stale:
            self.send_picture_state()

    def _unsubscribe(self, command: base.Command) -> None:
        request = convert(command.body, Unsubscribe)
        names = [name for name in dict.fromkeys(request.topics) if name in self.subscriptions]
        for name in names:
            self._topics.leave(name)
        self._answers.reply(command, "unsubscribed", {"topics": names, "remaining": self._topics.names()})

    def _ping(self, command: base.Command) -> None:
        convert(command.body, Ping)
        self._answers.reply(command, "pong", {"timestamp": unix_to_iso(unix_now())})

    def _request(self, command: base.Command) -> None:
        request = convert(command.body, Request)
        if request.topic not in self.hub.topics.all:
            raise InvalidCommand("There is no such topic.", "not_found")
        if request.topic not in self.hub.topics.open_to(self._may):
            raise InvalidCommand("Permission denied.", "permission_denied")
        self.link.charge(SNAPSHOT_COST)
        if self.state == "ended":
            return
        area = area_of(request.bbox) if request.bbox is not None else self._topics.area_of(request.topic)
        event = self.hub.snapshot(self._topics.source(request.topic, area, self._may))
        body = {"method": request.method, "topic": request.topic, "epoch": event.epoch, "seq": event.seq}
        self._answers.reply(
            command, "response", body | {"data": msgspec.Raw(event.packed if self.protocol.is_binary else event.data)}
        )

    def _refresh(self, command: base.Command) -> None:
        try:
            credential = credential_of_auth(convert(command.body, Refresh).auth)
        except Problem as problem:
            raise InvalidCommand(problem.detail, problem.kind.code) from None
        if credential is None:
            raise InvalidCommand("auth must hold a token.")
        self._spawn(self._take_new_token(credential, command))

    async def _take_new_token(self, credential: str, command: base.Command) -> None:
        try:
            admission = await self.hub.connection_authenticator.admit(credential)
        except Problem as problem:
            self.error(problem.kind.code, problem.detail, command)
            return
        except Exception as error:
            self.hub.accounts_failed(error)
            self.error("unavailable", "The token cannot be checked now.", command)
            return
        self.hub.account_faults.succeeded()
        if self.state != "ready":
            return
        if admission.may.user_id != self._may.user_id:
            self.error("permission_denied", "The token belongs to another user.", command)
            return
        self.review(admission)
        if self.state == "ready":
            self._answers.reply(command, "refreshed", admission.introduction())

    # Topics

    def _placed(self, admission: Admission) -> Admission:
        """An admission, with where this client is; it is shared by all connections of the same identity."""
        return replace(admission, may=replace(admission.may, is_local=self.offer.is_local))

    @property
    def _may(self) -> Visibility:
        assert self.admission is not None
        return self.admission.may

    def drained(self) -> None:
        """The connection takes data again: send the latest state of the aircraft topics."""
        self._topics.catch_up()

    # Changed rights and the end

    def review(self, now: Problem | Admission) -> None:
        """Apply the present admission: unsubscribe from topics that are no longer allowed, or end the connection."""
        if self.state != "ready":
            return
        if isinstance(now, Problem):
            self.error(now.kind.code, now.detail)
            self.end(closing.AUTHENTICATION_FAILED)
            return
        now = self._placed(now)
        before, self.admission = self._may, now
        if now.may == before:
            return
        if not now.topics:
            self.end(closing.PERMISSION_DENIED)
            return
        removed = self._topics.leave_forbidden(now.may)
        if removed:
            self.send(
                "unsubscribed", {"topics": removed, "remaining": self._topics.names(), "code": "permission_denied"}
            )
        self._topics.renew(now.may)

    def send(self, kind: str, body: dict[str, Any]) -> None:
        """Send a message to this client only."""
        self._answers.send(kind, body)

    def error(self, code: str, detail: str, command: base.Command | None = None) -> None:
        """Send an error; the connection stays open."""
        if self.state == "ended":
            return
        self._answers.error(code, detail, command)

    def end(self, reason: Closing) -> None:
        """End the connection with a close code."""
        if self.state != "ended":
            self.close()
            self.link.hang_up(reason)

    def send_picture_state(self) -> None:
        """Send whether the picture is live, if an aircraft topic is subscribed."""
        if any(isinstance(source, View) for source in self.subscriptions.values()):
            self.send("picture", self.hub.picture_state())

    def abandon(self) -> None:
        """Drop the connection at once."""
        self.close()
        self.link.drop()

    def close(self) -> None:
        """Release everything: the connection has ended, by either side."""
        if self.state == "ended":
            return
        self.state = "ended"
        self._topics.leave_all()
        for task in self._tasks:
            if task is not asyncio.current_task(self.hub.loop):
                task.cancel()
        self.hub.remove(self)

    def _spawn(self, work: Any) -> None:
        task = self.hub.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_HANDLERS: dict[str, Any] = {
    "subscribe": Session._subscribe,
    "unsubscribe": Session._unsubscribe,
    "ping": Session._ping,
    "request": Session._request,
    "refresh": Session._refresh,
}
