"""One subscriber from the open WebSocket to its end: admission, messages, changed rights."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Mapping
from typing import Any, Literal

from skywatch.core.bus import Message
from skywatch.core.problems import Problem
from skywatch.realtime.subscribers.authentication import NO_OFFER, Admission, credential_of_auth
from skywatch.realtime.subscribers.command_handler import Answers, CommandHandler
from skywatch.realtime.subscribers.hub import Hub
from skywatch.realtime.subscribers.register import AccountsAwayError
from skywatch.realtime.subscribers.subscriptions import Subscriptions
from skywatch.realtime.topics.event_log import Stream
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.wire import close_codes, messages, socketio
from skywatch.realtime.wire.answers import Connected, Error, ServerMessage, Unsubscribed
from skywatch.realtime.wire.close_codes import CloseReason, Refusal
from skywatch.realtime.wire.frames import Event, variant_of
from skywatch.realtime.wire.outbox import Link, Outlet
from skywatch.security.identity import person_of
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# Commands that a client may send before it is admitted; a library may write connect and subscribe at once.
EARLY_COMMANDS = 16


class Session:
    """A subscriber. All methods run on the server's loop.

    ``refusal`` is the reason why it is not admitted with any credential; it is sent as the answer to its connect.
    ``address`` is that of the client.
    """

    __slots__ = (
        "_early",
        "_tasks",
        "_topics",
        "address",
        "admission",
        "hub",
        "link",
        "offer",
        "outbox",
        "protocol",
        "refusal",
        "state",
        "variant",
    )

    def __init__(self, hub: Hub, link: Link, outbox: Outlet, protocol: messages.Protocol, address: str) -> None:
        self.hub = hub
        self.address = address
        self._use(link, outbox, protocol)
        self.state: Literal["new", "connecting", "ready", "ended"] = "new"
        self.offer = NO_OFFER
        self.refusal: Refusal | None = None
        self.admission: Admission | None = None
        self._topics = Subscriptions(hub, self)
        # Made when they are needed: most subscribers only listen.
        self._early: deque[messages.Command] | None = None
        self._tasks: set[asyncio.Task[None]] | None = None
        for payload in protocol.opened():
            outbox.push(self._frame(payload))

    def _use(self, link: Link, outbox: Outlet, protocol: messages.Protocol) -> None:
        self.link = link
        self.outbox = outbox
        self.protocol = protocol
        self.variant = variant_of(protocol.encode_event, link.deflate)

    @property
    def subscriptions(self) -> Mapping[str, LiveView | Stream]:
        """Its view or stream of each topic."""
        return self._topics.sources

    @property
    def answers(self) -> Answers:
        """What writes messages to this client alone."""
        return Answers(self.protocol, self.outbox)

    def move(self, link: Link, outbox: Outlet, protocol: messages.Protocol, waiting: list[bytes]) -> None:
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
        self.spawn(self._admit(credential))

    async def _admit(self, credential: str | None) -> None:
        try:
            admission = await self.hub.subscribers.admit(credential)
        except Problem as problem:
            self.refuse(close_codes.wrong_credential(problem))
            return
        except AccountsAwayError:
            self.refuse(close_codes.ACCOUNTS_AWAY)
            return
        if self.state != "connecting":
            return
        if admission.identity is None and self.hub.subscribers.is_private:
            self.refuse(close_codes.CREDENTIAL_REQUIRED)
        elif not admission.topics:
            self.refuse(close_codes.NO_TOPIC)
        elif not await self.hub.snapshots.enter(person := person_of(admission.identity, self.address)):
            self.refuse(close_codes.too_many_snapshots(self.hub.snapshots.refuse(person)))
        elif self.state != "connecting":
            return
        elif not self.hub.subscribers.enter(self, admission):
            self.refuse(close_codes.USER_HAS_ENOUGH)
        else:
            self.admission = self._with_locality(admission)
            self.state = "ready"
            for payload in self.protocol.welcomed():
                self.outbox.push(self._frame(payload))
            self.send(Connected(**admission.introduction(), heartbeat_s=self.hub.heartbeat_s))
            while self._early and self.state == "ready":
                self._run(self._early.popleft())
            self._early = None

    def refuse(self, refusal: Refusal) -> None:
        """Refuse the client with a reason."""
        if self.state != "ended":
            self.outbox.push(self._frame(self.protocol.refused(refusal.message)))
            self.end(refusal.reason)

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
        except messages.BadMessage as error:
            self.error(Error.of("malformed_body", str(error)), error.command)
            return
        except messages.BadPacket:
            self.end(close_codes.PROTOCOL_ERROR)
            return
        match action:
            case messages.Connect(auth):
                self._on_connect(auth)
            case messages.Leave():
                self.end(close_codes.CLIENT_LEFT)
            case messages.Command() if self.state == "ready":
                self._run(action)
            case messages.Command() if self.state == "connecting" and len(self._early or ()) < EARLY_COMMANDS:
                self._early = self._early or deque()
                self._early.append(action)
            case messages.Command():
                self.error(
                    Error.of("authentication_required", sentence("realtime.connect_first", "Connect first.")), action
                )

    def _run(self, command: messages.Command) -> None:
        CommandHandler(self, self._topics).run(command)

    def _on_connect(self, auth: Any) -> None:
        if self.refusal is not None:
            self.refuse(self.refusal)
            return
        try:
            credential = credential_of_auth(auth)
        except Problem as problem:
            self.refuse(close_codes.wrong_credential(problem))
            return
        offered = self.offer.credential
        if self.state == "new":
            if credential is not None and offered is not None and credential != offered:
                self.refuse(close_codes.TWO_CREDENTIALS)
            else:
                self.connect(credential or offered or self.offer.cookie)
        elif credential is not None and credential != offered:
            # Connected already: two credentials are one too many.
            detail = sentence(
                "realtime.has_credential", "This connection has its credential; use refresh to change it."
            )
            self.error(Error.of("conflict", detail))

    # Topics

    def _with_locality(self, admission: Admission) -> Admission:
        """An admission, with where this client is; it is shared by all connections of the same identity."""
        return admission.local if self.offer.is_local else admission

    @property
    def visibility(self) -> Visibility:
        """What an admitted subscriber may see."""
        assert self.admission is not None
        return self.admission.visibility

    @property
    def person(self) -> str:
        """Who has their part of what people share."""
        return person_of(self.admission.identity if self.admission is not None else None, self.address)

    @property
    def is_ended(self) -> bool:
        """Whether the connection has ended."""
        return self.state == "ended"

    def drained(self) -> None:
        """The connection takes data again: send the latest state of the aircraft topics."""
        self._topics.catch_up()

    # Changed rights and the end

    def review(self, now: Problem | Admission) -> None:
        """Apply the present admission: unsubscribe from topics that are no longer allowed, or end the connection."""
        if self.state != "ready":
            return
        if isinstance(now, Problem):
            self.error(Error.of(now.kind.code, now.sentence))
            self.end(close_codes.AUTHENTICATION_FAILED)
            return
        now = self._with_locality(now)
        before, self.admission = self.visibility, now
        if now.visibility == before:
            return
        if not now.topics:
            self.end(close_codes.PERMISSION_DENIED)
            return
        removed = self._topics.leave_forbidden(now.visibility)
        if removed:
            self.send(Unsubscribed(topics=removed, remaining=self._topics.names(), code="permission_denied"))
        self._topics.renew(now.visibility)

    def send(self, message: ServerMessage) -> None:
        """Send a message to this client only."""
        self.answers.send(message)

    def error(self, error: Error, command: messages.Command | None = None) -> None:
        """Send an error, the answer to a command if it is one; the connection stays open."""
        if self.state == "ended":
            return
        if command is None:
            self.send(error)
        else:
            self.answers.reply(command, error)

    def end(self, reason: CloseReason) -> None:
        """End the connection with a close code."""
        if self.state != "ended":
            self.close()
            self.link.hang_up(reason)

    def send_picture_state(self) -> None:
        """Send whether the picture is live, if an aircraft topic is subscribed."""
        if any(isinstance(source, LiveView) for source in self.subscriptions.values()):
            self.send(self.hub.picture_state())

    def send_of_aircraft(self, message: Message) -> None:
        """Send an event of an aircraft, if its topic is subscribed and the event is for this subscriber."""
        view = self.subscriptions.get(message.topic)
        if not isinstance(view, LiveView) or self.outbox.congested:
            return
        topics, state = self.hub.topics, self.hub.live.state
        if topics.may_receive(self.visibility, message):
            data = topics.data_for(self.visibility, message)
            event = Event(message.topic, message.event, state.epoch(view), state.sky.seq, data)
            self.outbox.push(event.frame(self.variant))

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
        for task in self._tasks or ():
            if task is not asyncio.current_task(self.hub.loop):
                task.cancel()
        self.hub.subscribers.remove(self)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background that ends with the session."""
        task = self.hub.loop.create_task(work)
        if self._tasks is None:
            self._tasks = set()
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: asyncio.Task[None]) -> None:
        if self._tasks is not None:
            self._tasks.discard(task)
            self._tasks = self._tasks or None
