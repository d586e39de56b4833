"""Skywatch as it is installed: a wheel of this checkout in an environment of its own, and other checkouts beside it.

Both measure processes that were started as an administrator starts them. ``--before PATH`` names the checkout of an
earlier commit, measured by turns with this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
# False: the checkout itself, without a wheel.
WITH_WHEEL = True
PATIENCE_S = 120.0
# As in the units, the Debian package and the image (docs/memory.md).
TUNED = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


@dataclass(frozen=True)
class Installed:
    """A Skywatch to measure: its interpreter, and the checkout that it runs where that is not what is installed."""

    name: str
    python: str
    tree: Path | None = None

    def environment(self) -> dict[str, str]:
        """The environment of its processes."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
        return kept | TUNED | ({} if self.tree is None else {"PYTHONPATH": str(self.tree)})

    def start(self, errors: Path, *arguments: str) -> subprocess.Popen[bytes]:
        """Start Python with these arguments; its errors go into a file, what it prints nowhere."""
        with errors.open("wb") as file:
            return subprocess.Popen(
                [self.python, "-W", "ignore", *arguments], env=self.environment(), cwd=self.tree or "/",
                stdout=subprocess.DEVNULL, stderr=file,
            )  # fmt: skip

    def output(self, *arguments: str) -> str:
        """What Python prints with these arguments; raises RuntimeError with its errors where it fails."""
        done = subprocess.run(
            [self.python, "-W", "ignore", *arguments], env=self.environment(), cwd=self.tree or "/",
            capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr.decode()[-2000:])
        return done.stdout.decode()


@contextmanager
def installed(before: Path | None) -> Iterator[list[Installed]]:
    """This version, and the one before where there is one, both on the libraries of one environment."""
    with TemporaryDirectory() as folder:
        python = _install(Path(folder)) if WITH_WHEEL else sys.executable
        now = Installed("this version", python, None if WITH_WHEEL else ROOT)
        yield [now] if before is None else [Installed("before", python, before.resolve()), now]


def _install(folder: Path) -> str:
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    copy = folder / "copy"
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(copy)], **quiet)  # type: ignore[call-overload]
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(copy)], **quiet)  # type: ignore[call-overload]
    wheel = next(folder.glob("skywatch-*.whl"))
    subprocess.run([*pip, "install", str(wheel)], **quiet)  # type: ignore[call-overload]
    return python


@dataclass
class Installation:
    """An ini file and a database in a folder."""

    ini: Path
    port: int
    errors: Path

    @classmethod
    def make(cls, folder: Path, skywatch: Installed, aircraft: int) -> Installation:
        """All roles in one process with SQLite and so many simulated aircraft, prepared by ``skywatch init``."""
        port = free_port()
        lines = {
            "environment": "development",
            "auth_mode": "public",
            "database_url": f"sqlite:///{folder}/skywatch.sqlite",
            "listen": f"127.0.0.1:{port}",
            "realtime_listen": f"127.0.0.1:{free_port()}",
            "console_first_run": "false",
            "receiver.demo": f"simulate aircraft={aircraft} ground=0 radius_nm={250 if aircraft < 1000 else 3000}",
            "station_lat": 47.45,
            "station_lon": 8.56,
        }
        ini = folder / "skywatch.ini"
        text = "".join(f"{name} = {value}\n" for name, value in lines.items())
        ini.write_text(f"[app:main]\nuse = egg:skywatch\n{text}", encoding="utf-8")
        skywatch.output("-m", "skywatch", "init", str(ini))
        return cls(ini, port, folder / "errors.txt")


def processor_s(pid: int) -> float:
    """Processor seconds of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a service as an administrator does."""
    process.terminate()
    try:
        process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
