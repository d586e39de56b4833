"""A network of hosts on one machine: namespaces that a bridge joins, each of which can be cut off (root, iproute2)."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Lan:
    """Hosts 10.77.0.10 and on, by their numbers, behind a bridge in a namespace of its own."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = list(numbers)
        self._prefix = f"sky{os.getpid()}"

    @classmethod
    @contextmanager
    def of(cls, numbers: Iterable[int]) -> Iterator[Lan]:
        """While the network is there."""
        lan = cls(numbers)
        try:
            lan._make()
            yield lan
        finally:
            for name in [*map(lan._space, lan._numbers), f"{lan._prefix}lan"]:
                subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

    @staticmethod
    def address(number: int) -> str:
        return f"10.77.0.{10 + number}"

    def inside(self, number: int) -> list[str]:
        """The words that a command begins with which is to run on this host."""
        return ["ip", "netns", "exec", self._space(number)]

    def cut(self, number: int) -> None:
        """Nothing goes from or to this host any more; nobody is told."""
        self._bridge_port(number, "down")

    def join(self, number: int) -> None:
        """It is back."""
        self._bridge_port(number, "up")

    @contextmanager
    def socket_in(self, number: int) -> Iterator[socket.socket]:
        """A TCP socket of this host."""
        with self.entered(number):
            made = socket.socket()
        with made:
            yield made

    @contextmanager
    def entered(self, number: int) -> Iterator[None]:
        """While this thread, and threads and processes that it starts, are on this host."""
        with Path("/proc/thread-self/ns/net").open() as own, Path(f"/run/netns/{self._space(number)}").open() as other:
            _enter(other.fileno())
            try:
                yield
            finally:
                _enter(own.fileno())

    def _make(self) -> None:
        lan = f"{self._prefix}lan"
        _ip("netns", "add", lan)
        _ip("-n", lan, "link", "add", "bridge", "type", "bridge")
        _ip("-n", lan, "link", "set", "bridge", "up")
        for number in self._numbers:
            space = self._space(number)
            _ip("netns", "add", space)
            _ip("-n", space, "link", "set", "lo", "up")
            _ip("-n", lan, "link", "add", f"port{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("-n", lan, "link", "set", f"port{number}", "master", "bridge", "up")
            _ip("-n", space, "addr", "add", f"{self.address(number)}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")

    def _space(self, number: int) -> str:
        return f"{self._prefix}h{number}"

    def _bridge_port(self, number: int, state: str) -> None:
        # At the bridge's side: the host sees its own device without a carrier, as with a pulled cable.
        _ip("-n", f"{self._prefix}lan", "link", "set", f"port{number}", state)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _enter(namespace: int) -> None:
    """Let this thread's new sockets be of a network namespace, by its descriptor."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, 0x40000000):  # CLONE_NEWNET of sched.h
        raise OSError(ctypes.get_errno(), "setns")
