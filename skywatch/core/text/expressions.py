"""Regular expressions of users, bounded in length and memory, each compiled once.

RE2 matches in linear time and releases the interpreter's lock meanwhile, but it holds the lock while it compiles: the
limits keep that to milliseconds. Compiled expressions are shared by everybody who uses the same text; those that
nobody uses stay in a cache of bounded size.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from skywatch.sentences import sentence

MAX_LENGTH = 500
# Parsing one class of Unicode costs as much as a hundred other characters.
MAX_UNICODE_CLASSES = 4
# RE2 writes counted repetitions out before it looks at the memory they need.
MAX_REPETITIONS = 1_000
# Memory of RE2 for the program and the states of one expression (bytes); larger expressions are refused.
MEMORY_BYTES = 131_072
# Bounds of the cache; an expression that is in use elsewhere costs the cache nothing.
CACHED, CACHED_BYTES = 1_024, 16 << 20
# A text that RE2 refused is cached too: its size here (bytes).
FAULT_BYTES = 1_000
# A compilation that took longer than this (s) is followed by a pause of so many times as long, up to a limit (s).
SLOW_S, REST, MAX_REST_S = 0.0005, 4, 0.02
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_REPETITION = re.compile(r"\{([0-9]{1,9})(?:,([0-9]{0,9}))?\}")


class ExpressionFault(ValueError):
    """A text that is refused; ``str()`` is the reason, for people."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Expression:
    """A compiled expression; equal to every other one of the same text. Safe to use from any thread.

    ``size`` is an upper estimate of its memory, with the states that RE2 adds while it matches (bytes).
    """

    text: str
    ignores_case: bool
    size: int = field(compare=False)
    _search: Any = field(compare=False, repr=False)

    def matches(self, text: str) -> bool:
        """Whether some part of a text matches."""
        return self._search(text) is not None


class ExpressionCache:
    """The compiled expressions of a process; the least recently used one goes. Safe to use from any thread."""

    def __init__(self, most: int = CACHED, most_bytes: int = CACHED_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        # Held while an expression is compiled: nothing is compiled twice, and one thread at a time holds up the others.
        self._lock = threading.Lock()
        self._recent: OrderedDict[tuple[str, bool], Expression | ExpressionFault] = OrderedDict()
        self._used: WeakValueDictionary[tuple[str, bool], Expression] = WeakValueDictionary()
        self.size = 0
        """Estimated memory of what is cached (bytes)."""
        self.compilations = 0
        """How often RE2 compiled a text, or refused it."""

    def __len__(self) -> int:
        return len(self._recent)

    def get(self, text: str, *, ignores_case: bool) -> Expression:
        """The compiled expression; raises ExpressionFault."""
        check(text)
        key = text, ignores_case
        with self._lock:
            entry = self._recent.get(key)
            if entry is not None:
                self._recent.move_to_end(key)
            else:
                entry = self._used.get(key)
                if entry is None:
                    entry = self._compile(text, ignores_case)
                    self.compilations += 1
                self._keep(key, entry)
        if isinstance(entry, ExpressionFault):
            raise ExpressionFault(str(entry))
        return entry

    def _compile(self, text: str, ignores_case: bool) -> Expression | ExpressionFault:
        began = time.perf_counter()
        try:
            return _compile(text, ignores_case)
        except ExpressionFault as fault:
            # A new one: the traceback of this one refers to the frames of all callers, and so to the request.
            return ExpressionFault(str(fault))
        finally:
            took_s = time.perf_counter() - began
            if took_s > SLOW_S:
                # All threads that wait for the interpreter's lock come first.
                time.sleep(min(REST * took_s, MAX_REST_S))

    def _keep(self, key: tuple[str, bool], entry: Expression | ExpressionFault) -> None:
        self._recent[key] = entry
        self.size += _size_of(entry)
        if isinstance(entry, Expression):
            self._used[key] = entry
        while len(self._recent) > self._most or self.size > self._most_bytes:
            _, oldest = self._recent.popitem(last=False)
            self.size -= _size_of(oldest)


def check(text: str) -> None:
    """Raise ExpressionFault for a text that is refused before it is compiled."""
    if not text:
        raise ExpressionFault(sentence("field.empty", "must not be empty"))
    if len(text) > MAX_LENGTH:
        raise ExpressionFault(sentence("field.long", "must have at most {n} characters", n=MAX_LENGTH))
    classes = _unicode_classes(text)
    if classes > MAX_UNICODE_CLASSES:
        raise ExpressionFault(
            sentence(
                "expression.unicode_classes",
                "has {classes} Unicode classes (such as \\pL); at most {most} are allowed",
                classes=classes,
                most=MAX_UNICODE_CLASSES,
            )
        )
    repetitions = sum(int(most or least) for least, most in _REPETITION.findall(text))
    if repetitions > MAX_REPETITIONS:
        raise ExpressionFault(
            sentence(
                "expression.repetitions",
                "has counted repetitions (such as {example}) of {count} in all; at most {most} are allowed",
                example="{99}",
                count=repetitions,
                most=MAX_REPETITIONS,
            )
        )


def _unicode_classes(text: str) -> int:
    return sum(character in "pP" for character in _ESCAPE.findall(text))


def _compile(text: str, ignores_case: bool) -> Expression:
    import re2

    options = re2.Options()
    options.case_sensitive = not ignores_case
    options.log_errors = False
    options.max_mem = MEMORY_BYTES
    try:
        compiled = re2.compile(text, options)
    except UnicodeEncodeError:
        raise ExpressionFault(sentence("field.surrogate", "must not contain a lone surrogate")) from None
    except re2.error as error:
        raise ExpressionFault(_reason(error)) from None
    finally:
        # The library has a cache of its own, without a bound of its memory.
        re2.purge()
    size = min(MEMORY_BYTES, 2_048 + 64 * compiled.programsize) + 6_000 * _unicode_classes(text) + 20 * len(text)
    return Expression(text, ignores_case, size, compiled.search)


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else "unknown reason"
    detail = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if "too large" in detail:
        return sentence(
            "expression.memory",
            "needs more than {most} kB when it is compiled; use * instead of large counts like {example}",
            most=MEMORY_BYTES // 1024,
            example="{99}",
        )
    return sentence("expression.refused", "is not a regular expression that RE2 takes: {reason}", reason=detail[:120])


def _size_of(entry: Expression | ExpressionFault) -> int:
    return entry.size if isinstance(entry, Expression) else FAULT_BYTES


# Of this process.
expressions = ExpressionCache()
