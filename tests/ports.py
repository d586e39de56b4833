"""Ports for servers that are told theirs before they listen."""

from __future__ import annotations

import os
import random
import socket

# Beneath those that systems give to outgoing connections, which could take a port between its choice and its use.
FIRST, END = 10_000, 32_000

# Runs of the tests that begin together must not choose alike.
_chance = random.SystemRandom()
_chosen: set[int] = set()


def _own_ports() -> range:
    """Those of this process among the processes of its run: two would else choose the same before either listens."""
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    # A process in the place of one that crashed has a number beyond the count.
    return range(FIRST + number % count, END, count)


def free_port() -> int:
    """A port that nobody listens on, that no connection will be given, and that this process has not chosen before."""
    ports = _own_ports()
    while True:
        port = ports[_chance.randrange(len(ports))]
        if port in _chosen:
            continue
        _chosen.add(port)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
