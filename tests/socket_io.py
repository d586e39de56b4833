"""The real JavaScript client of Socket.IO, run by Node.js, and the accounts that its tests use."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.asyncapi import SOCKET_IO, judge, judge_native
from tests.node_packages import NODE
from tests.realtime import FakeAccounts
from tests.waiting import PATIENCE_S

SCRIPT = Path(__file__).with_name("integration") / "realtime" / "socketio_client.mjs"
# What the script says of its own connection; all else are events of the server.
ITS_OWN = {"open", "upgrade", "connect", "connect_error", "connect_error_data", "disconnect"}
SWISS = {"lat": 46.9, "lon": 7.4}


def accounts() -> FakeAccounts:
    fake = FakeAccounts()
    fake.add("viewer", "viewer", 1)
    fake.add("history", "viewer", 2, scopes=["history"])
    return fake


def hear(client: Any, heard: asyncio.Queue[tuple[str, Any]]) -> None:
    """Put every event of a client of python-socketio into a queue."""

    def take(event: str, data: Any) -> None:
        judge(SOCKET_IO, event, data)
        heard.put_nowait((event, data))

    client.on("*", take)


class JavaScript:
    """``socketio_client.mjs`` in a process of its own: its events as they come."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(
        cls, modules: Path, port: int, auth: dict[str, Any], topics: str = "", options: dict[str, Any] | None = None
    ) -> JavaScript:
        options = {"transports": ["websocket"], "reconnection": False} if options is None else options
        arguments = [NODE, str(SCRIPT), str(modules), f"http://127.0.0.1:{port}", json.dumps(auth), topics]
        arguments.append(json.dumps(options))
        pipe = asyncio.subprocess.PIPE
        # A snapshot is one line.
        return cls(await asyncio.create_subprocess_exec(*arguments, stdin=pipe, stdout=pipe, limit=1 << 24))

    async def next(self) -> list[Any]:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_S)
        assert line, "the client has ended"
        answer: list[Any] = json.loads(line)
        event, value = answer
        if event == "ack":
            judge_native(value)
        elif event not in ITS_OWN:
            judge(SOCKET_IO, event, value)
        return answer

    async def until(self, kind: str) -> Any:
        while True:
            event, value = await self.next()
            if event == kind:
                return value

    def send(self, event: str, data: Any = None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([event, data]).encode() + b"\n")

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
