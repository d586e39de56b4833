"""Ports for servers that are told theirs before they listen."""

from __future__ import annotations

import random
import socket

# Beneath those that systems give to outgoing connections, which could take a port between its choice and its use.
FIRST, END = 10_000, 32_000

# Test processes that begin together must not choose alike.
_chance = random.SystemRandom()


def free_port() -> int:
    """A port of this machine that nobody listens on, and that no connection will be given."""
    while True:
        port = _chance.randrange(FIRST, END)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
