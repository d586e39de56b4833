"""Runs the manual's page "Three hosts" word for word on three Debians in namespaces of their own, and cuts one off.

``python -m tests.drills.cluster [--suite bookworm] [--mirror URL] [--folder FOLDER]`` needs root, debootstrap,
iproute2, overlay file systems and packages, and takes about ten minutes. The steps of all hosts run as the page says;
only the copy of the secrets is the drill's, in place of ssh. Then it is looked at through HAProxy, a feeder connects,
and the host with the leading tracker loses its network and gets it back. What the folder holds is used again.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.drills.debian import PATH, Debian, Failed, on_a_terminal
from tests.drills.deployment import SOURCE, fetch_source
from tests.drills.network import Lan
from tests.drills.pages import Block, blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cluster.md"
DOWNLOADS = ("1. Packages", "2. Skywatch")
FIRST_HOST = ("3. Names and secrets, on the first host", "6. Database, on the first host")
RECEIVER = "sed -i -e 's|^# receiver.roof = .*|receiver.demo = simulate aircraft=50|' -e 's|^# station_|station_|' {}"
HOSTS = (1, 2, 3)
# How long a check is tried for (s): Patroni's ttl and election, and everything behind it.
PATIENCE_S = 120.0


class Host:
    """One of the three: a Debian over the common one, with processes, a name and a network of its own."""

    def __init__(self, number: int, base: Path, folder: Path, lan: Lan) -> None:
        self.number = number
        self.name = f"sky{number}"
        self.address = lan.address(number)
        self._lan = lan
        self._root = folder / self.name
        self._layers = [base, folder / f"{self.name}-changes", folder / f"{self.name}-work"]

    @contextmanager
    def running(self) -> Iterator[Host]:
        """While it runs; whatever was started in it ends with it."""
        base, changes, work = self._layers
        for path in (self._root, changes, work):
            path.mkdir(parents=True, exist_ok=True)
        layers = f"lowerdir={base},upperdir={changes},workdir={work}"
        root = shlex.quote(str(self._root))
        inner = (
            f"mount -t overlay overlay -o {shlex.quote(layers)} {root} && mount -t proc proc {root}/proc"
            f" && mount --rbind /dev/pts {root}/dev/pts"
            f" && mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm && hostname {self.name}"
            " && echo up && while :; do sleep 1; done"
        )
        words = ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "bash", "-c", inner]
        command = [*self._lan.inside(self.number), *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
            try:
                if holder.stdout is None or holder.stdout.readline() != "up\n":
                    raise Failed("there can be no host of its own here")
                children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
                self._enter = ["nsenter", f"--target={children[0]}", "--mount", "--pid", "--uts", "--net"]
                yield self
            finally:
                holder.kill()

    def run(self, script: str, password: str, folder: str = "/root") -> str:
        """Run a script as root on a terminal: what it printed."""
        self.write("/root/steps.sh", script)
        step = f"cd {shlex.quote(folder)} && exec bash -eo pipefail /root/steps.sh"
        environment = {"PATH": PATH, "HOME": "/root", "TERM": "dumb", "NUMBER": str(self.number)}
        words = [f"{name}={value}" for name, value in environment.items()]
        command = [*self._enter, "chroot", str(self._root), "env", "-i", *words, "bash", "-c", step]
        return on_a_terminal(command, password, self._lan.inside(self.number), self._root.with_suffix(".png"))

    def write(self, path: str, text: str) -> None:
        """A file of it."""
        words = [*self._enter, "chroot", str(self._root), "bash", "-c", f"cat >{shlex.quote(path)}"]
        subprocess.run(words, input=text, text=True, check=True)

    def copy_secrets(self, other: Host) -> None:
        """What the page copies by ssh."""
        one = [*self._enter, "tar", "-C", f"{self._root}/etc/skywatch", "-c", "cluster", "tls"]
        packed = subprocess.run(one, capture_output=True, check=True).stdout
        two = [*other._enter, "tar", "-C", f"{other._root}/etc/skywatch", "-x"]
        subprocess.run(two, input=packed, check=True)


class Visitor:
    """Somebody in the same network who talks to HAProxy."""

    def __init__(self, lan: Lan, certificate: str) -> None:
        self._lan = lan
        self._certificate = certificate
        self._token = ""

    def ask(self, host: int, path: str, body: object = None) -> tuple[int, Any]:
        """Status and document that the HAProxy of a host answers; status 0 where nobody does."""
        resolved = f"sky.example.org:443:{self._lan.address(host)}"
        words = ["curl", "--silent", "--max-time", "5", "--cacert", self._certificate, "--resolve", resolved]
        words += ["--write-out", "\n%{http_code}", "--header", f"Authorization: Bearer {self._token}"]
        if body is not None:
            words += ["--json", "@-"]
        inside = self._lan.inside(0)
        done = subprocess.run(
            [*inside, *words, f"https://sky.example.org{path}"],
            input=json.dumps(body), capture_output=True, text=True, check=False,
        )  # fmt: skip
        text, _, status = done.stdout.rpartition("\n")
        return int(status or 0), json.loads(text) if text.startswith(("{", "[")) else text

    def log_in(self, host: int, password: str) -> None:
        status, document = self.ask(host, "/api/v1/auth/login", {"username": "ada", "password": password})
        if status != 200:
            raise Failed(f"login: {status} {document}")
        self._token = document["access"]

    def leading(self, host: int) -> str | None:
        """Which host's tracker leads, with two that stand by; None while it is not so."""
        _, health = self.ask(host, "/api/v1/system/health")
        states = health.get("trackers", []) if isinstance(health, dict) else []
        leading = [one["host"] for one in states if one["state"] == "leading"]
        return leading[0] if len(leading) == 1 else None

    def moment(self, host: int) -> float:
        """Of the picture that the HAProxy of a host answers; 0 where there is none."""
        status, document = self.ask(host, "/data/aircraft.json")
        return float(document["now"]) if status == 200 and document["aircraft"] else 0.0

    def is_newer(self, host: int, before: float) -> bool:
        return self.moment(host) > before


def main() -> int:
    """Run the page; 0 where everything held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    missing = [name for name in ("debootstrap", "ip", "nsenter", "curl") if shutil.which(name) is None]
    if os.geteuid() != 0 or missing:
        print(f"needs root{''.join(f', {name}' for name in missing)}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        try:
            _run(Debian(folder / "base", options.suite, options.mirror), folder)
        except Failed as failure:
            print(f"\ncluster: FAILED: {failure}", file=sys.stderr)
            return 1
    print("\ncluster: every command worked, and the sky went on without a host")
    return 0


def _run(base: Debian, folder: Path) -> None:
    every = blocks(PAGE)
    password = secrets.token_urlsafe(15)
    base.make()
    base.copy_systemctl()
    fetch_source(base.root / SOURCE)
    mark = base.root / "root/downloaded"
    if not mark.exists():
        base.run(_script(every, DOWNLOADS), password, network=True)
        mark.touch()
    for name in ("changes", "work"):
        for number in HOSTS:
            shutil.rmtree(folder / f"sky{number}-{name}", ignore_errors=True)
    with ExitStack() as stack:
        lan = stack.enter_context(Lan.of([0, *HOSTS]))
        hosts = [stack.enter_context(Host(number, base.root, folder, lan).running()) for number in HOSTS]
        began = time.monotonic()
        _set_up(every, hosts, password)
        certificate = folder / "sky.crt"
        shutil.copy(folder / "sky1-changes/etc/skywatch/tls/sky.crt", certificate)
        visitor = Visitor(lan, str(certificate))
        visitor.log_in(2, password)
        _look(visitor)
        print(f"== aircraft by all three hosts {time.monotonic() - began:.0f} s after the step behind the downloads")
        _feed(visitor, lan)
        _cut_the_leading(visitor, lan)


def _set_up(every: list[Block], hosts: list[Host], password: str) -> None:
    for heading in dict.fromkeys(block.heading for block in every):
        if heading in DOWNLOADS:
            continue
        for host in hosts[:1] if heading in FIRST_HOST else hosts:
            host.run(_script(every, (heading,)), password)
            if heading.startswith("4."):
                host.run(RECEIVER.format("/etc/skywatch/production.ini"), password)
        if heading.startswith("3."):
            for other in hosts[1:]:
                hosts[0].copy_secrets(other)


def _look(visitor: Visitor) -> None:
    """Every HAProxy answers the same living picture, and one tracker leads."""
    for host in HOSTS:
        _until(f"a tracker that leads, by sky{host}", partial(visitor.leading, host))
        before = _until(f"aircraft by sky{host}", partial(visitor.moment, host))
        _until(f"a picture that moves by sky{host}", partial(visitor.is_newer, host, before))
    print(f"== the tracker of {visitor.leading(1)} leads; all three answer")


def _feed(visitor: Visitor, lan: Lan) -> None:
    """A feeder that connects through HAProxy is known by its own address."""
    status, feeder = visitor.ask(1, "/api/v1/feeders/", {"name": "Attic"})
    if status != 201 or ",30004," not in feeder["lines"]["readsb"]:
        raise Failed(f"registering a feeder: {status} {feeder}")
    path = f"/api/v1/feeders/{feeder['id']}/"
    stop = threading.Event()
    thread = threading.Thread(target=_connect_again_and_again, args=(lan, feeder["uuid"], stop))
    thread.start()
    try:
        shown = _until("the feeder's connection", lambda: _connected(visitor, path))
    finally:
        stop.set()
        thread.join()
    if not str(shown["address"]).startswith(f"{lan.address(0)}:"):
        raise Failed(f"the feeder's own address: {shown['address']}")
    print(f"== a feeder by HAProxy, known as {shown['address']}")


def _connect_again_and_again(lan: Lan, uuid: str, stop: threading.Event) -> None:
    """As readsb does; the frame is a Mode S reply (DF 11) with its checksum."""
    frame = b"\x1a2" + bytes(6) + b"\x40" + bytes.fromhex("5d3c6444d1ef9b")
    while not stop.wait(1):
        try:
            with lan.socket_in(0) as client:
                client.connect((lan.address(2), 30004))
                client.sendall(b"\x1a\xe4" + uuid.encode())
                while not stop.wait(0.5):
                    client.sendall(frame)
        except OSError as error:
            print(f"== the feeder connects again: {error}")


def _connected(visitor: Visitor, path: str) -> Any:
    _, shown = visitor.ask(3, path)
    return shown if shown.get("state") == "connected" and shown.get("address") else None


def _cut_the_leading(visitor: Visitor, lan: Lan) -> None:
    """The host whose tracker leads loses its network: another one leads, the database too, and it comes back."""
    lost = int(str(visitor.leading(1)).removeprefix("sky"))
    other = next(host for host in HOSTS if host != lost)
    lan.cut(lost)
    began, newest = time.monotonic(), visitor.moment(other)
    _until("another tracker that leads", lambda: visitor.leading(other) not in (None, f"sky{lost}"))
    _until("a picture that moves again", partial(visitor.is_newer, other, newest + 5))
    print(f"== sky{lost} is cut off: the picture moves again after {time.monotonic() - began:.0f} s at most")
    _until("a write", lambda: visitor.ask(other, "/api/v1/feeders/", {"name": f"Barn {time.time()}"})[0] == 201)
    print(f"== and the database writes after {time.monotonic() - began:.0f} s at most")
    lan.join(lost)
    _until("the host that was lost", partial(visitor.is_newer, lost, newest + 5))
    _until("one tracker that leads", partial(visitor.leading, lost))
    print(f"== sky{lost} is back")


def _until(what: str, check: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (found := check()):
        if time.monotonic() > end:
            raise Failed(f"{what} did not come about in {PATIENCE_S:g} s")
        time.sleep(0.2)
    return found


def _script(every: list[Block], headings: tuple[str, ...]) -> str:
    return "\n".join(f"echo '== {block.heading}'\n{block.text}" for block in every if block.heading in headings)


if __name__ == "__main__":
    sys.exit(main())
