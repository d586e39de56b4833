"""A network that falls silent between the service and a server of a test's own."""

from __future__ import annotations

import contextlib
import socket
import threading


class SilentProxy:
    """Passes connections on to a server until it is silenced: then they stay open, and nothing moves any more.

    After ``speak`` new connections are passed on again; those of before stay dead, as after a cut.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listening.getsockname()[1]
        self._era = 0
        self._is_silent = False
        self._kept: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def silence(self) -> None:
        """Drop everything from now on, in both directions."""
        self._era += 1
        self._is_silent = True

    def speak(self) -> None:
        """Pass new connections on."""
        self._is_silent = False

    def close(self) -> None:
        """Accept no more, and close everything."""
        self._listening.close()
        for one in self._kept:
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._kept.append(client)
                if self._is_silent:
                    continue  # accepted, and never answered
                server = socket.create_connection(self._target)
                self._kept.append(server)
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, target, self._era), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, era: int) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if era == self._era:
                    target.sendall(data)
            if era == self._era:
                target.close()
