"""A TCP relay before a server: it can be cut, fall silent without a word, or hold back what passes."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from tests.ports import free_port


class _Link:
    """One connection through the relay; ``silent`` swallows everything and closes nothing."""

    def __init__(self, client: socket.socket, server: socket.socket, silent: bool) -> None:
        self.ends = (client, server)
        self.silent = silent


class Relay:
    """Listens on a port of its own, which it has again after ``cut`` and ``mend``.

    A connection that has fallen silent stays so: what it swallowed cannot be made up for. ``silent_from_now_on`` makes
    new connections silent.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.links: list[_Link] = []
        self.silent_from_now_on = False
        self._may_pass = threading.Event()
        self._may_pass.set()
        self.port = free_port()
        self.listener = self._listen()

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def _listen(self) -> socket.socket:
        listener = socket.create_server(self.address)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            link = _Link(client, server, self.silent_from_now_on)
            self.links.append(link)
            for source, sink in (link.ends, link.ends[::-1]):
                threading.Thread(target=self._pump, args=(link, source, sink), daemon=True).start()

    def _pump(self, link: _Link, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self._may_pass.wait()
                if not link.silent:
                    sink.sendall(data)
        except OSError:
            pass
        if not link.silent:
            # The other end is to see that this one has closed.
            with suppress(OSError):
                sink.shutdown(socket.SHUT_WR)

    def fall_silent(self) -> None:
        """From now on nothing passes, and nobody is told."""
        self.silent_from_now_on = True
        for link in self.links:
            link.silent = True

    def speak(self) -> None:
        """New connections work."""
        self.silent_from_now_on = False

    def hold(self) -> None:
        """Hold everything back, to let it go later."""
        self._may_pass.clear()

    def let_go(self) -> None:
        """What was held back passes, and everything else."""
        self._may_pass.set()

    def cut(self) -> None:
        """Close everything, as a server that dies does."""
        for end in (self.listener, *(end for link in self.links for end in link.ends)):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.links.clear()

    def mend(self) -> None:
        """Listen again."""
        self.listener = self._listen()

    def close(self) -> None:
        """End."""
        self.let_go()
        self.cut()
