"""What is used of the inside of waitress and Autobahn: names that their documentation does not promise.

``setup.py`` admits the minor versions that were read for it. Where another one is admitted, this test fails by the name
that has gone; read then what took its place, and run tests/integration (test_api_*, test_framing, realtime).
"""

from __future__ import annotations

import functools
import inspect
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from autobahn.asyncio.websocket import WebSocketServerProtocol
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer, ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.receiver import FixedStreamReceiver
from waitress.server import BaseWSGIServer, TcpWSGIServer
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest, Error, RequestHeaderFieldsTooLarge

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = {"waitress": ">=3.0.1,<3.1", "autobahn": ">=26.10,<26.11"}

# class -> attributes and methods that are overridden, called or set
WAITRESS: dict[type, tuple[str, ...]] = {
    HTTPChannel: (
        "parser_class", "task_class", "error_task_class", "request", "requests", "connected", "server", "adj",
        "outbuf_lock", "outbufs", "current_outbuf_count", "total_outbufs_len", "sent_continue", "will_close",
        "close_when_flushed", "last_activity", "sendbuf_len", "send_continue", "del_channel", "_flush_some",
        "_flush_exception", "_flush_outbufs_below_high_watermark", "writable", "service", "handle_write",
        "handle_close", "send", "write_soon", "received", "handle_read", "addr", "requests_lock", "socket", "recv",
        "check_client_disconnected", "_fileno",
    ),
    HTTPRequestParser: (
        "adj", "received", "parse_header", "completed", "expect_continue", "error", "headers", "version", "chunked",
        "path", "body_rcv", "header_plus", "headers_finished", "content_length", "empty", "close", "command",
    ),
    WSGITask: (
        "execute", "get_environment", "set_close_on_finish", "build_response_header", "finish", "write", "status",
        "response_headers", "content_length", "wrote_header", "chunked_response", "close_on_finish", "version",
        "request", "channel", "complete", "content_bytes_written",
    ),
    ErrorTask: ("execute",),
    Task: ("has_body",),
    BaseWSGIServer: (
        "channel_class", "maintenance", "pull_trigger", "add_task", "accepting", "handle_accept", "active_channels",
        "task_dispatcher", "application", "_map", "effective_host", "effective_port",
    ),
    ThreadedTaskDispatcher: ("shutdown", "add_task", "set_thread_count", "threads", "start_new_thread"),
    OverflowableBuffer: ("append", "getfile", "close", "__len__", "overflow", "overflowed"),
    FixedStreamReceiver: ("received", "completed", "error", "getbuf", "getfile"),
    Error: ("code", "reason", "body"),
    ReadOnlyFileBasedBuffer: ("prepare", "get", "skip"),
    Adjustments: (
        "send_bytes", "outbuf_high_watermark", "channel_timeout", "max_request_body_size", "max_request_header_size",
        "inbuf_overflow",
    ),
    BadRequest: ("code", "reason"),
    RequestHeaderFieldsTooLarge: ("code", "reason"),
}  # fmt: skip
AUTOBAHN: dict[type, tuple[str, ...]] = {
    WebSocketServerProtocol: (
        "sendHttpErrorResponse", "sendData", "sendCloseFrame", "_dataReceived", "_fail_connection", "dropConnection",
        "STATE_OPEN", "log", "data", "state", "failedByMe", "_perMessageCompress", "onOpenHandshakeTimeout",
        "onCloseFrame",
    ),
}  # fmt: skip
# function -> its parameters, where ours take or pass them by position
SIGNATURES: dict[Any, list[str]] = {
    HTTPChannel.__init__: ["self", "server", "sock", "addr", "adj", "map"],
    HTTPChannel._flush_some: ["self", "do_close"],
    HTTPChannel._flush_exception: ["self", "flush", "do_close"],
    HTTPChannel.send: ["self", "data", "do_close"],
    HTTPChannel.write_soon: ["self", "data"],
    HTTPRequestParser.received: ["self", "data"],
    FixedStreamReceiver.__init__: ["self", "cl", "buf"],
    OverflowableBuffer.__init__: ["self", "overflow"],
    ThreadedTaskDispatcher.set_thread_count: ["self", "count"],
    HTTPRequestParser.parse_header: ["self", "header_plus"],
    BaseWSGIServer.maintenance: ["self", "now"],
    wasyncore.loop: ["timeout", "use_poll", "map", "count"],
    WebSocketServerProtocol._fail_connection: ["self", "code", "reason"],
    WebSocketServerProtocol.sendHttpErrorResponse: ["self", "code", "reason", "responseHeaders"],
    WebSocketServerProtocol.sendCloseFrame: ["self", "code", "reasonUtf8", "isReply"],
    WebSocketServerProtocol.dropConnection: ["self", "abort"],
}


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_the_minor_version_is_the_one_that_was_read(package: str) -> None:
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert f'"{package}{REQUIREMENTS[package]}"' in text
    highest = tuple(map(int, re.findall(r"<([0-9.]+)", REQUIREMENTS[package])[0].split(".")))
    assert tuple(map(int, version(package).split(".")[:2])) < highest


def has(kind: type, name: str) -> bool:
    """Whether a class or its methods give instances an attribute."""
    return hasattr(kind, name) or re.search(rf"self\.{name}\b", source_of(kind)) is not None


@functools.cache
def source_of(kind: type) -> str:
    """The text of a class and of those that it is made of."""
    return "\n".join(inspect.getsource(base) for base in kind.__mro__ if base is not object)


def test_the_libraries_have_what_is_used() -> None:
    used = [(kind, name) for kind, names in {**WAITRESS, **AUTOBAHN}.items() for name in names]
    assert [f"{kind.__module__}: {kind.__name__}.{name}" for kind, name in used if not has(kind, name)] == []


def test_a_name_that_has_gone_is_noticed() -> None:
    assert not has(HTTPChannel, "_flush_all_of_it")


def test_parameters_are_those_that_are_given() -> None:
    for function, expected in SIGNATURES.items():
        names = list(inspect.signature(function).parameters)
        fits = names[: len(expected)] == expected or set(expected) <= set(names)
        assert fits, f"{function.__qualname__} takes {names}"


def test_the_server_is_of_the_class_that_is_changed() -> None:
    assert issubclass(TcpWSGIServer, BaseWSGIServer)
