"""Log lines as text or as one JSON object each, with the request's id and without secrets.

Set up once a process. The id of the request at work is kept in a context variable that the HTTP tween sets. What
looks like a credential is masked in every line, tracebacks included, whoever wrote it.
"""

from __future__ import annotations

import contextvars
import logging
import re
import sys
import traceback
from typing import Literal, TextIO

import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.core.telemetry.log_limiter import RepeatLimiter
from skywatch.core.telemetry.metrics import ERRORS
from skywatch.core.text.escapes import escape_controls, escape_json

request_id: contextvars.ContextVar[str | None] = contextvars.ContextVar("request_id", default=None)

MASK = "***"
# Each pattern keeps group 1 and masks the rest; all are bounded and run in linear time.
_SECRETS = (
    # Credentials in a header or what quotes one
    re.compile(r"\b((?:Bearer|ApiKey|Basic)\s{1,4})[A-Za-z0-9._~+/=-]{6,4096}", re.IGNORECASE),
    # API keys and JSON Web Tokens wherever they stand
    re.compile(r"\b(sk_)[A-Za-z0-9]{8,256}"),
    re.compile(r"\b(eyJ)[A-Za-z0-9_-]{4,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096})?"),
    # name=value, name: value and "name": "value"
    re.compile(
        r"((?:password|passwd|secret|token|api[_-]?key|access[_-]token|refresh[_-]token|client[_-]secret|"
        r"authorization|code[_-]verifier|x-api-key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?)(?!\*\*\*)"
        r"(?:(?<=\")[^\"]{1,4096}|(?<=')[^']{1,4096}|[^\s\"',;&}]{1,4096})",
        re.IGNORECASE,
    ),
    # user:password@host in an address
    re.compile(r"(://[^\s/:@]{0,128}:)[^\s/@]{1,256}(?=@)"),
)


def mask(text: str) -> str:
    """The text with everything that looks like a credential replaced by ``***``."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return text


# The password in an address: all before its last @, for a password may hold what should have been escaped.
_PASSWORD = re.compile(r"(://[^\s:@/]*:)\S*(?=@)")
# What follows a question mark: addresses of web services carry their keys there.
_QUERY = re.compile(r"https?://[^\s?]*\?\S+")
_VALUE = re.compile(r"=[^&\s]+")


def without_passwords(text: str) -> str:
    """The value of a setting without credentials of addresses in it."""
    text = _PASSWORD.sub(rf"\g<1>{MASK}", text)
    return mask(_QUERY.sub(lambda address: _VALUE.sub(f"={MASK}", address[0]), text))


class _Line(logging.Formatter):
    def parts(self, record: logging.LogRecord) -> tuple[str, str | None]:
        """The masked message and traceback of a record."""
        trace = None
        if record.exc_info and record.exc_info[1] is not None:
            trace = _encodable(mask("".join(traceback.format_exception(*record.exc_info)).rstrip()))
        return _encodable(mask(record.getMessage())), trace


def _encodable(text: str) -> str:
    """The text with halves of characters, which are not UTF-8, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


class TextFormatter(_Line):
    """``time LEVEL logger [request id] message``: one event, one line, and no control characters.

    A traceback follows in lines that are indented: what stands in an exception cannot look like a line of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        message, trace = self.parts(record)
        current = request_id.get()
        tag = f" [{current}]" if current else ""
        line = f"{unix_to_iso(record.created)} {record.levelname:<7} {record.name}{tag} {escape_controls(message)}"
        return "\n  ".join([line, *map(escape_controls, trace.split("\n"))]) if trace else line


class JsonFormatter(_Line):
    """One JSON object a line: time, level, logger, message, and request_id, exception where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        message, trace = self.parts(record)
        line: dict[str, object] = {
            "time": unix_to_iso(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message,
            "thread": record.threadName,
        }
        current = request_id.get()
        if current:
            line["request_id"] = current
        if trace:
            line["exception"] = trace
        return escape_json(msgspec.json.encode(line).decode())


class _CountErrors(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        ERRORS.labels(record.name).inc()


def set_up(level: str, log_format: Literal["text", "json"], stream: TextIO | None = None) -> None:
    """Send every log line of this process to ``stream`` (stderr) in the given format."""
    handler = logging.StreamHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    handler.addFilter(RepeatLimiter())
    root.addHandler(handler)
    root.addHandler(_CountErrors(logging.ERROR))
    root.setLevel(level.upper())
    logging.captureWarnings(True)
    # A connection that ends badly is logged by whoever used it; the pool adds a traceback for each.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    # These libraries log every request or query at INFO, which is DEBUG here.
    for noisy in ("httpx", "httpcore", "alembic", "sqlalchemy.engine"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
