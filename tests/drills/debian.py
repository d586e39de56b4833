"""A fresh Debian in a folder, made by debootstrap: where the manual's pages are tried from their first line on.

Packages come from where this machine gets its own: its configuration of apt and pip and its certificates are copied.
Needs root on Linux.
"""

from __future__ import annotations

import os
import platform
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# What names the certificates to the programs that download.
CERTIFICATE_VARIABLES = ("PIP_CERT", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
NEVER_START = "#!/bin/sh\nexit 101\n"
_ASKS = re.compile(rb"(password|repeat)[^\n]*: ?$", re.I)
# How a script has an address opened in a browser, and reads whether aircraft were shown.
SHOWN = """
shown() { read -r -p "Open in a browser: $1${2:+ as $2} " seen && test "$seen" = shown; }
"""
_SHOW = re.compile(rb"Open in a browser: (http\S+)(?: as (\w+))? $")


class Failed(Exception):
    """A command of the page did not work."""


class Debian:
    """One installation."""

    def __init__(self, folder: Path, suite: str, mirror: str, *, minimal: bool = False) -> None:
        self.root = folder
        self._variant = ["--variant=minbase"] if minimal else []
        self._mirror = mirror
        self._suite = suite

    def make(self) -> None:
        """Create it, unless it is there."""
        if (self.root / "etc" / "debian_version").exists():
            return
        subprocess.run(["debootstrap", *self._variant, self._suite, str(self.root), self._mirror], check=True)
        self._copy_configuration()
        # debootstrap leaves this to the installer.
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
        # Packages do not start their services: they would do so in the network of this machine.
        policy = self.root / "usr/sbin/policy-rc.d"
        policy.write_text(NEVER_START)
        policy.chmod(0o755)
        self.copy_systemctl()

    def copy_systemctl(self) -> None:
        """Put our systemctl before the real one."""
        shim = self.root / "usr/local/sbin/systemctl"
        shutil.copy(Path(__file__).with_name("systemctl.py"), shim)
        shim.chmod(0o755)

    def _copy_configuration(self) -> None:
        for name in ("etc/pip.conf", "etc/resolv.conf"):
            self._copy(name)
        for name in ("etc/apt/sources.list.d/debian.sources", "etc/apt/sources.list"):
            self._copy(name)
            if (path := self.root / name).is_file():
                path.write_text(re.sub(rf"\b{_own_suite()}\b", self._suite, path.read_text()))
        for path in Path("/etc/apt/apt.conf.d").glob("99*"):
            self._copy(str(path).lstrip("/"))
        for name in (".config/pip/pip.conf", ".npmrc"):
            if (home := Path.home() / name).is_file():
                (self.root / "root" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(home, self.root / "root" / name)
        if CERTIFICATES.is_file():
            shutil.copy(CERTIFICATES, self.root / "root/certificates.pem")

    def _copy(self, name: str) -> None:
        source, target = Path("/") / name, self.root / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    def run(self, script: str, password: str, *, network: bool, folder: str = "/root") -> str:
        """Run a script as root on a terminal, and everything that it started until it ends: what it printed.

        Without ``network`` it has a network of its own, in which there is nobody else but the browser of ``SHOWN``.
        Whatever asks for a password is given this one.
        """
        (self.root / "root/steps.sh").write_text(SHOWN + script)
        environment = {"PATH": PATH, "HOME": "/root", "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive"}
        if network:
            environment |= {name: value for name, value in os.environ.items() if _of_downloads(name)}
            if CERTIFICATES.is_file():
                environment |= dict.fromkeys(CERTIFICATE_VARIABLES, "/root/certificates.pem")
        root = shlex.quote(str(self.root))
        mounts = [f"mount -t proc proc {root}/proc", f"mount --rbind /dev/pts {root}/dev/pts"]
        mounts += [f"mkdir -p {root}{one} && mount --bind {one} {root}{one}" for one in package_folders() if network]
        words = shlex.join(f"{name}={value}" for name, value in environment.items())
        step = f"cd {shlex.quote(folder)} && exec bash -eo pipefail /root/steps.sh"
        inner = f"{' && '.join(mounts)} && exec chroot {root} env -i {words} bash -c {shlex.quote(step)}"
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", inner]
        if network:
            return on_a_terminal(command, password, [], self.root.with_suffix(".png"))
        with own_network() as inside:
            return on_a_terminal([*inside, *command], password, inside, self.root.with_suffix(".png"))


def _own_suite() -> str:
    """The release of Debian of this machine, whose sources of packages are taken for another release."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "bookworm")


def _of_downloads(name: str) -> bool:
    return name.startswith("PIP_") or name.upper() in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def package_folders() -> list[str]:
    """Folders that this machine's pip takes packages from."""
    configured = subprocess.run(["pip", "config", "list"], capture_output=True, text=True, check=False).stdout
    text = f"{configured} {os.environ.get('PIP_FIND_LINKS', '')}"
    found = {Path(match.removeprefix("file://")) for match in re.findall(r"(?:file://)?/[\w/.-]+", text)}
    # The files of an index lie next to its pages.
    return sorted(str(path.parent if len(path.parts) > 3 else path) for path in found if path.is_dir())


@contextmanager
def own_network() -> Iterator[list[str]]:
    """A network with nothing but a loopback device: the words that a command begins with which is to run in it."""
    command = ["unshare", "--net", "bash", "-c", "ip link set lo up && echo up && exec sleep infinity"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            if holder.stdout is None or holder.stdout.readline() != "up\n":
                raise Failed("there can be no network of its own here")
            yield ["nsenter", f"--net=/proc/{holder.pid}/ns/net"]
        finally:
            holder.kill()


def on_a_terminal(command: Sequence[str], password: str, inside: Sequence[str], picture: Path) -> str:
    """Run a command on a terminal: what it printed; raises Failed where its exit code is not 0.

    Whatever asks for a password is given this one; an address to be shown is opened in a browser, by a command that
    begins with ``inside``, which writes ``picture``.
    """

    def show(match: re.Match[bytes]) -> bytes:
        words = [*inside, sys.executable, "-m", "tests.drills.browser", match[1].decode(), "--picture", str(picture)]
        words += ["--user", match[2].decode()] if match[2] else []
        ended = subprocess.run(words, input=f"{password}\n", text=True, check=False)
        return b"\n" if ended.returncode else b"shown\n"

    answers: list[tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bytes]]] = [
        (_ASKS, lambda _: password.encode() + b"\n"),
        (_SHOW, show),
    ]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    output = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            # The other side of a terminal that nobody has open any more.
            break
        if not data:
            break
        os.write(1, data)
        output += data
        for pattern, answer in answers:
            if match := pattern.search(output[-2000:]):
                os.write(terminal, answer(match))
                output += b"\n"
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise Failed(f"exit code {code}")
    return output.decode(errors="replace")
