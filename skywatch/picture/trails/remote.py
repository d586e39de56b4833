"""Trails across processes: the tracker keeps them, another process asks for some over the bus and waits a moment.

Within one process the book itself travels, and nothing is asked.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import msgspec

from skywatch.core.bus import Bus, Message, topics
from skywatch.picture.trails.trail import Point, TrailStore

log = logging.getLogger(__name__)
# An answer takes the bus' way there and back and, at worst, the rest of a tick.
WAIT_S = 1.0


class _Question(msgspec.Struct, array_like=True):
    """``addresses`` are separated by commas; of each the points after ``since`` (unix s)."""

    answer_to: str
    number: int
    addresses: str
    since: float = 0.0


class _Answer(msgspec.Struct, array_like=True):
    """The points of all addresses one after the other; ``counts`` says how many each has."""

    number: int
    points: list[tuple[float, float, float, int | None, bool, float | None, float | None]]
    counts: list[int]


_encoder = msgspec.msgpack.Encoder()
_questions = msgspec.msgpack.Decoder(_Question)
_answers = msgspec.msgpack.Decoder(_Answer)


class TrailServer:
    """Runs with the tracker: answers questions for trails while ``may_answer``, which returns at once."""

    def __init__(self, bus: Bus, trails: TrailStore, may_answer: Callable[[], bool] = lambda: True) -> None:
        self._bus = bus
        self._may_answer = may_answer
        self._trails = trails
        bus.publish(Message(topics.TRAILS, "book", b"", snapshot=True, local=trails))
        self._subscription = bus.subscribe((topics.TRAIL_QUESTIONS,), self._answer)

    def close(self) -> None:
        """Stop answering."""
        self._subscription.close()

    def _answer(self, message: Message) -> None:
        if not self._may_answer():
            return
        try:
            question = _questions.decode(message.data)
        except msgspec.MsgspecError as error:
            log.warning("a question for a trail cannot be read: %s", error)
            return
        trails = [self._trails.trail(address, question.since) for address in question.addresses.split(",")]
        points = [tuple(point) for trail in trails for point in trail]
        answer = question.number, points, [len(trail) for trail in trails]
        self._bus.publish(Message(question.answer_to, "trail", _encoder.encode(answer)))


class TrailClient:
    """In any process: the trails of aircraft, from the book where it is here, else from the tracker."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[threading.Event, list[_Answer]]] = {}
        self._number = 0
        self._topic = topics.TRAIL_ANSWERS + secrets.token_hex(8)
        self._subscription = None if bus.carries_objects else bus.subscribe((self._topic,), self._take)

    def close(self) -> None:
        """Stop listening for answers."""
        if self._subscription is not None:
            self._subscription.close()

    def trails(self, addresses: Sequence[str], since: float = 0.0) -> list[list[Point]]:
        """The positions of each current flight after ``since`` (unix s); empty where there are none or the tracker does
        not answer."""
        if self._subscription is None:
            book = self._bus.last(topics.TRAILS)
            return [book.local.trail(address, since) if book is not None else [] for address in addresses]
        answered, answers = threading.Event(), list[_Answer]()
        with self._lock:
            self._number += 1
            number = self._number
            self._waiting[number] = answered, answers
        try:
            question = _encoder.encode(_Question(self._topic, number, ",".join(addresses), since))
            self._bus.publish(Message(topics.TRAIL_QUESTIONS, "question", question))
            answered.wait(WAIT_S)
        finally:
            with self._lock:
                del self._waiting[number]
        if not answers or len(answers[0].counts) != len(addresses):
            return [[] for _ in addresses]
        points = [Point(*point) for point in answers[0].points]
        return [points[begin:end] for begin, end in pairwise(accumulate(answers[0].counts, initial=0))]

    def _take(self, message: Message) -> None:
        try:
            answer = _answers.decode(message.data)
        except msgspec.MsgspecError as error:
            log.warning("a trail cannot be read: %s", error)
            return
        with self._lock:
            waiting = self._waiting.get(answer.number)
        if waiting is not None:
            waiting[1].append(answer)
            waiting[0].set()
