"""A Debian in a folder with its own systemd as the first process of namespaces of its own, and no network.

Units run in it as they do on a machine, with everything that their files forbid them; only for limits of memory and of
tasks the control groups lack controllers. Needs root, and a hierarchy of control groups (cgroup2).
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.drills.debian import PATH, Failed, on_a_terminal

BOOTED_WITHIN_S = 120
# $group is a control group of its own, which the namespaces take for the root of all.
BEGIN = r"""
mkdir -p "$group" && echo $$ >"$group/cgroup.procs"
exec setpriv --pdeathsig KILL unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child bash -euc "$inner"
"""
INNER = r"""
ip link set lo up
hostname drill
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/pts dev/shm mnt/old
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
pivot_root . mnt/old
umount --lazy /mnt/old
rmdir /mnt/old
exec env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal </dev/null
"""


def run_booted(root: Path, script: str, password: str) -> str:
    """Boot it, and run a script as root on a terminal: what it printed. Raises Failed."""
    # What stands in for its own systemctl elsewhere, and starts nothing.
    for name in ("usr/local/sbin/systemctl", "usr/sbin/policy-rc.d"):
        (root / name).unlink(missing_ok=True)
    (root / "root/steps.sh").write_text(script)
    with _booted(root) as pid:
        inside = _inside(pid)
        environment = [f"PATH={PATH}", "HOME=/root", "TERM=dumb", "DEBIAN_FRONTEND=noninteractive"]
        steps = ["env", "-i", *environment, "bash", "-eo", "pipefail", "/root/steps.sh"]
        return on_a_terminal([*inside, *steps], password, inside, root.with_suffix(".png"))


def _inside(pid: int) -> list[str]:
    """The words that a command begins with which is to run there."""
    return ["nsenter", "--target", str(pid), "--all", "--root", "--wd"]


@contextmanager
def _booted(root: Path) -> Iterator[int]:
    """The id of the process of systemd, once it takes commands."""
    group = _control_groups() / f"drill-{os.getpid()}"
    environment = {**os.environ, "group": str(group), "root": str(root.resolve()), "inner": INNER}
    with subprocess.Popen(["bash", "-euc", BEGIN], env=environment) as outer:
        try:
            yield _first_process(outer)
        finally:
            outer.kill()
            outer.wait()
            _remove(group)


def _control_groups() -> Path:
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(place)
    raise Failed("there is no hierarchy of control groups here (cgroup2)")


def _first_process(outer: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + BOOTED_WITHIN_S
    while time.monotonic() < deadline and outer.poll() is None:
        with suppress(OSError, IndexError):
            pid = int(Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()[0])
            ask = [*_inside(pid), "/usr/bin/systemctl", "is-system-running"]
            state = subprocess.run(ask, check=False, capture_output=True, text=True).stdout.strip()
            if state in ("running", "degraded"):
                return pid
        time.sleep(0.5)
    raise Failed("systemd has not started")


def _remove(group: Path) -> None:
    """Remove a control group with those in it, whose processes have ended."""
    deadline = time.monotonic() + BOOTED_WITHIN_S
    while group.exists() and time.monotonic() < deadline:
        for path in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True):
            with suppress(OSError):
                path.rmdir()
        with suppress(OSError):
            group.rmdir()
        time.sleep(0.1)
