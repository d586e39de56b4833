"""What is used of the inside of waitress and Autobahn is what docs/decisions/0013-a-socket-before-waitress.md lists.

``setup.py`` admits the minor versions that were read for it. Where another one is admitted, these tests fail by the
name that has gone; read then what took its place, and run tests/integration (test_api_*, test_framing, realtime).
"""

from __future__ import annotations

import ast
import asyncio
import functools
import importlib
import inspect
import re
import textwrap
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import waitress
from autobahn.asyncio.websocket import WebSocketServerProtocol
from autobahn.websocket.interfaces import IWebSocketChannel, IWebSocketChannelStreamingApi
from waitress.channel import HTTPChannel
from waitress.task import WSGITask

from skywatch.realtime.transports.websocket import WebSocketConnection
from skywatch.serving.web_server.http_channel import HttpChannel, ResponseTask

ROOT = Path(__file__).resolve().parents[3]
DECISION = ROOT / "docs" / "decisions" / "0013-a-socket-before-waitress.md"
REQUIREMENTS = {"waitress": ">=3.0.1,<3.1", "autobahn": ">=26.10,<26.11"}
OURS = (HttpChannel, ResponseTask, WebSocketConnection)
# function -> its parameters, where ours take or pass them
SIGNATURES: dict[Any, list[str]] = {
    waitress.create_server: ["application", "map"],
    HTTPChannel.__init__: ["self", "server", "sock", "addr", "adj", "map"],
    WSGITask.__init__: ["self", "channel", "request"],
    WebSocketServerProtocol._fail_connection: ["self", "code", "reason"],
    WebSocketServerProtocol.sendHttpErrorResponse: ["self", "code", "reason", "responseHeaders"],
    WebSocketServerProtocol.sendCloseFrame: ["self", "code", "reasonUtf8", "isReply"],
    WebSocketServerProtocol.dropConnection: ["self", "abort"],
}


@functools.cache
def listed() -> dict[type, set[str]]:
    """The table of the decision: class -> names."""
    names: dict[type, set[str]] = defaultdict(set)
    for path in re.findall(r"^\| `([\w.]+)` \|", DECISION.read_text(encoding="utf-8"), re.MULTILINE):
        module, _, name = path.rpartition(".")
        if name[0].isupper():
            names[getattr(importlib.import_module(module), name)] |= set()
        else:
            module, _, kind = module.rpartition(".")
            names[getattr(importlib.import_module(module), kind)].add(name)
    return names


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_the_minor_version_is_the_one_that_was_read(package: str) -> None:
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert f'"{package}{REQUIREMENTS[package]}"' in text
    highest = tuple(map(int, re.findall(r"<([0-9.]+)", REQUIREMENTS[package])[0].split(".")))
    assert tuple(map(int, version(package).split(".")[:2])) < highest


def has(kind: type, name: str) -> bool:
    """Whether a class or its methods give instances an attribute, or some that begin so."""
    end = "" if name.endswith("_") else r"\b"
    return hasattr(kind, name) or re.search(rf"self\.{name}{end}", source_of(kind)) is not None


@functools.cache
def source_of(kind: type) -> str:
    """The text of a class and of those that it is made of."""
    return "\n".join(inspect.getsource(base) for base in kind.__mro__ if base is not object)


def test_the_libraries_have_what_is_listed() -> None:
    assert listed()
    used = [(kind, name) for kind, names in listed().items() for name in names]
    assert [f"{kind.__module__}: {kind.__name__}.{name}" for kind, name in used if not has(kind, name)] == []


def names_in(tree: ast.AST) -> set[str]:
    """Attributes that are read, set or declared in code, and texts."""
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def sources() -> list[ast.Module]:
    folders = (ROOT / "skywatch" / "serving", ROOT / "skywatch" / "realtime" / "transports")
    return [ast.parse(path.read_text(encoding="utf-8")) for folder in folders for path in folder.rglob("*.py")]


def test_what_is_listed_is_used() -> None:
    used = set().union(*map(names_in, sources()))
    assert set().union(*listed().values()) - used == set()


@pytest.mark.parametrize("kind", OURS)
def test_what_our_classes_use_of_their_bases_is_listed(kind: type) -> None:
    ours = [base for base in kind.__mro__ if base.__module__.startswith("skywatch.")]
    theirs = next(base for base in kind.__mro__ if base.__module__.startswith(("waitress.", "autobahn.")))
    members = {name for base in theirs.__mro__ if base is not object for name in vars(base)}
    members |= set(re.findall(r"self\.(\w+)(?:: [^=\n]+)? [-+]?=", source_of(theirs)))
    # Autobahn's documentation is that of its interfaces, and asyncio calls a protocol.
    documented = {*dir(asyncio.Protocol), *dir(IWebSocketChannel), *dir(IWebSocketChannelStreamingApi), "transport"}
    used = {name for base in ours for name in vars(base)}
    for base in ours:
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base)))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "super()"):
                used.add(node.attr)
    names = set().union(*(names for base, names in listed().items() if issubclass(theirs, base)))
    found = {name for name in used & members if not name.startswith("__")}
    if issubclass(kind, WebSocketConnection):
        found -= documented
    assert found - names == set()


def test_what_is_imported_is_listed() -> None:
    """Of waitress' modules, which its manual does not name."""
    imported = {
        getattr(importlib.import_module(node.module), name.name)
        for tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("waitress.")
        for name in node.names
    }
    assert imported - set(listed()) == set()
    assert {HTTPChannel, WSGITask} == imported


def test_a_name_that_has_gone_is_noticed() -> None:
    assert not has(HTTPChannel, "_flush_all_of_it")


def test_parameters_are_those_that_are_given() -> None:
    for function, expected in SIGNATURES.items():
        names = list(inspect.signature(function).parameters)
        fits = names[: len(expected)] == expected or set(expected) <= set(names)
        assert fits, f"{function.__qualname__} takes {names}"
