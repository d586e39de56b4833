"""Questions over the bus: one process answers, another asks and waits a moment.

Every message begins with the version of its form; a message of another version is passed over and logged.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable

import msgspec

from skywatch.core.bus.base import Bus, Message
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
VERSION = 1
# An answer takes the bus' way there and back, and at worst the rest of a tick.
WAIT_S = 1.0


class _Question(msgspec.Struct, array_like=True):
    version: int
    answer_to: str
    number: int
    content: bytes


class _Answer(msgspec.Struct, array_like=True):
    version: int
    number: int
    content: bytes


_encoder = msgspec.msgpack.Encoder()
_questions = msgspec.msgpack.Decoder(_Question)
_answers = msgspec.msgpack.Decoder(_Answer)


class QuestionServer:
    """Answers what is asked on a topic with ``answer(content)``, which is called in a thread of the bus."""

    def __init__(self, bus: Bus, topic: str, answer: Callable[[bytes], bytes]) -> None:
        self._bus = bus
        self._answer = answer
        self._faults = FaultLog(log, f"questions on {topic} cannot be answered", f"questions on {topic} are answered")
        self._subscription = bus.subscribe((topic,), self._take)

    def close(self) -> None:
        """Stop answering."""
        self._subscription.close()

    def _take(self, message: Message) -> None:
        try:
            question = _questions.decode(message.data)
            if question.version != VERSION:
                raise ValueError(f"version {question.version} is not {VERSION}")
            answer = _encoder.encode(_Answer(VERSION, question.number, self._answer(question.content)))
        except (msgspec.MsgspecError, ValueError) as error:
            self._faults.failed(str(error))
            return
        self._bus.publish(Message(question.answer_to, "answer", answer))


class QuestionClient:
    """Asks on a topic; for any thread."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self._bus = bus
        self._topic = topic
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[threading.Event, list[bytes]]] = {}
        self._number = 0
        self._answers_topic = f"{topic}:{secrets.token_hex(8)}"
        self._faults = FaultLog(log, f"answers on {topic} cannot be read", f"answers on {topic} are read")
        self._subscription = bus.subscribe((self._answers_topic,), self._take)

    def close(self) -> None:
        """Stop listening for answers."""
        self._subscription.close()

    def ask(self, content: bytes) -> bytes | None:
        """The answer; None where nobody answers in time."""
        answered, answers = threading.Event(), list[bytes]()
        with self._lock:
            self._number += 1
            number = self._number
            self._waiting[number] = answered, answers
        try:
            question = _encoder.encode(_Question(VERSION, self._answers_topic, number, content))
            self._bus.publish(Message(self._topic, "question", question))
            answered.wait(WAIT_S)
        finally:
            with self._lock:
                del self._waiting[number]
        return answers[0] if answers else None

    def _take(self, message: Message) -> None:
        try:
            answer = _answers.decode(message.data)
            if answer.version != VERSION:
                raise ValueError(f"version {answer.version} is not {VERSION}")
        except (msgspec.MsgspecError, ValueError) as error:
            self._faults.failed(str(error))
            return
        with self._lock:
            waiting = self._waiting.get(answer.number)
        if waiting is not None:
            waiting[1].append(answer.content)
            waiting[0].set()
