"""Recordings played over a real socket, as a receiver would send them."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterable

from tests.ports import free_port


class FeedServer:
    """Sends chunks to every client from the present place on, and can be stopped and started again on its port.

    ``chunks`` are (seconds since the start, bytes); the clock of the recording goes on while nobody listens.
    """

    def __init__(self, chunks: Iterable[tuple[float, bytes]], speed: float = 1.0) -> None:
        self.chunks = list(chunks)
        self.speed = speed
        self.clients: list[socket.socket] = []
        self.port = free_port()
        self.done = threading.Event()
        self.accepted = 0
        self._stop = threading.Event()
        self._began = 0.0
        self.open()

    def open(self) -> None:
        """Listen (again)."""
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def close_clients(self) -> None:
        """Drop everybody and stop listening."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # Wakes the thread that waits in accept, which holds the port.
        self.listener.close()
        for client in self.clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            client.close()
        self.clients.clear()

    def play(self) -> FeedServer:
        """Begin to send."""
        self._began = time.monotonic()
        threading.Thread(target=self._play, daemon=True).start()
        return self

    def close(self) -> None:
        """End everything."""
        self._stop.set()
        self.close_clients()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            self.clients.append(client)

    def _play(self) -> None:
        for at, data in self.chunks:
            pause = self._began + at / self.speed - time.monotonic()
            if self._stop.wait(max(0.0, pause)):
                return
            for client in list(self.clients):
                with contextlib.suppress(OSError):
                    client.sendall(data)
        self.done.set()


def beast_chunks(recording: bytes, every_s: float = 0.1) -> list[tuple[float, bytes]]:
    """A Beast recording cut by its own 12 MHz counter."""
    chunks: list[tuple[float, bytes]] = []
    first: int | None = None
    position = recording.find(b"\x1a")
    current, at = bytearray(), 0.0
    while 0 <= position < len(recording):
        end = position + 2
        counter = bytearray()
        while True:
            end = recording.find(b"\x1a", end)
            if end < 0 or end + 1 >= len(recording):
                end = len(recording)
                break
            if recording[end + 1] == 0x1A:
                end += 2
                continue
            break
        message = recording[position:end]
        counter = bytearray(message[2:].replace(b"\x1a\x1a", b"\x1a")[:6])
        ticks = int.from_bytes(counter, "big")
        first = ticks if first is None else first
        seconds = (ticks - first) / 12e6
        if seconds - at >= every_s and current:
            chunks.append((at, bytes(current)))
            current, at = bytearray(), seconds
        current += message
        position = end
    if current:
        chunks.append((at, bytes(current)))
    return chunks
