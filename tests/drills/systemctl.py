#!/usr/bin/python3
"""``systemctl`` for a Debian whose first process is no systemd: what the manual's pages and our package ask of it.

Services of the distribution are started by their init scripts. Our units run as systemd would run them: as their user,
with nothing in the environment but what their file says, in their directory, without capabilities. Enabling is left
to the real systemctl, which needs no running systemd for it.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

UNITS = [Path(folder) for folder in ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")]
MARKS = Path("/run/drill")
REAL = "/usr/bin/systemctl"
# systemd kills what has not ended by TimeoutStopSec (s).
STOP_S = 30
# What the real one does without a running systemd.
OFFLINE = ("enable", "disable", "is-enabled", "preset", "mask", "unmask")
# Services of the distribution without an init script, or with one that is another program's than its unit.
BY_UNIT = ("nats-server", "patroni")
Unit = dict[str, list[str]]


def main(arguments: list[str]) -> int:
    """Run one command."""
    command, *names = [word for word in arguments if not word.startswith("-")]
    if command == "daemon-reload":
        return 0
    if command in OFFLINE:
        done = subprocess.run([REAL, "--root=/", command, *names], check=False).returncode
        if done or "--now" not in arguments:
            return done
        command = "start" if command == "enable" else "stop"
    if command == "is-active":
        return 0 if all(is_running(name) for name in names) else 3
    if command not in ("start", "restart", "stop"):
        print(f"systemctl: {command} is not known here", file=sys.stderr)
        return 1
    for name in names:
        run(command, name)
    return 0


def run(command: str, name: str) -> None:
    """Start or stop one unit, once."""
    name = name if "." in name else f"{name}.service"
    path = next((folder / name for folder in UNITS if (folder / name).is_file()), None)
    short = name.removesuffix(".service")
    if path is None or (short not in BY_UNIT and not name.startswith("skywatch")):
        subprocess.run(["service", short, command], check=True, stdin=subprocess.DEVNULL)
        return
    unit = read(path)
    if path.suffix == ".target":
        for wanted in unit["Wants"]:
            for one in wanted.split():
                run(command, one)
        return
    if command != "start":
        stop(name)
    if command != "stop" and not is_running(name):
        MARKS.mkdir(exist_ok=True)
        (MARKS / name).write_text(str(start(path, unit)))


def is_running(name: str) -> bool:
    """Whether the process of a unit of ours is there."""
    try:
        pid = int((MARKS / name).read_text())
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def stop(name: str) -> None:
    """End the process of a unit, if it is there."""
    deadline = time.monotonic() + STOP_S
    sent = False
    while is_running(name):
        if not sent or time.monotonic() > deadline:
            os.kill(int((MARKS / name).read_text()), signal.SIGKILL if sent else signal.SIGTERM)
            sent = True
        time.sleep(0.1)
    (MARKS / name).unlink(missing_ok=True)


def read(path: Path) -> Unit:
    """The values of each name."""
    unit: Unit = {}
    for line in path.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            unit.setdefault(name, []).append(value)
    return unit


def start(path: Path, unit: Unit) -> int:
    """The process of a service."""
    user = pwd.getpwnam(unit["User"][-1])
    for folder in unit.get("StateDirectory", []):
        state = Path("/var/lib") / folder
        state.mkdir(exist_ok=True)
        state.chmod(int(unit["StateDirectoryMode"][-1], 8))
        shutil.chown(state, user.pw_uid, user.pw_gid)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
        "USER": user.pw_name,
        "LOGNAME": user.pw_name,
        "HOME": user.pw_dir,
        "SHELL": user.pw_shell,
    }
    environment |= dict(value.partition("=")[::2] for value in unit.get("Environment", []))
    for name in unit.get("EnvironmentFile", []):
        if name.startswith("-") and not Path(name[1:]).is_file():
            continue
        for line in Path(name.removeprefix("-")).read_text().splitlines():
            key, _, value = line.partition("=")
            # Quotes are for the shell that reads the same file; systemd takes them off as well.
            environment[key] = value[1:-1] if value[:1] == value[-1:] == "'" else value
    words = ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--init-groups", "--no-new-privs"]
    with open(f"/var/log/{path.stem}.log", "ab") as log:
        process = subprocess.Popen(
            ["/usr/bin/setpriv", *words, "--bounding-set=-all", *shlex.split(unit["ExecStart"][-1])],
            cwd=unit.get("WorkingDirectory", ["/"])[-1],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            umask=int(unit.get("UMask", ["0022"])[-1], 8),
            start_new_session=True,
        )
    return process.pid


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(sys.argv[1:]))
