#!/usr/bin/python3
"""``systemctl`` for a Debian whose first process is no systemd: what the manual's pages ask of it, and nothing else.

Services of the distribution are started by their init scripts. Units under /etc/systemd/system run as systemd would run
them: as their user, with nothing in the environment but what their file says, in their directory, without capabilities.
Enabling is left to the real systemctl, which needs no running systemd for it.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

UNITS = Path("/etc/systemd/system")
Unit = dict[str, list[str]]


def main(arguments: list[str]) -> int:
    """Run one command."""
    command, *rest = arguments
    names = [name for name in rest if not name.startswith("-")]
    if command == "daemon-reload":
        return 0
    if command == "enable":
        subprocess.run(["/usr/bin/systemctl", "enable", *names], check=True)
        if "--now" not in rest:
            return 0
        command = "start"
    if command not in ("start", "restart"):
        print(f"systemctl: {command} is not known here", file=sys.stderr)
        return 1
    for name in names:
        run(command, name)
    return 0


def run(command: str, name: str) -> None:
    """Start one unit, once."""
    path = UNITS / (name if "." in name else f"{name}.service")
    if not path.is_file():
        subprocess.run(["service", name, command], check=True, stdin=subprocess.DEVNULL)
        return
    unit = read(path)
    if path.suffix == ".target":
        for wanted in unit["Wants"]:
            for one in wanted.split():
                run(command, one)
        return
    mark = Path("/run/drill") / path.name
    if mark.exists():
        return
    mark.parent.mkdir(exist_ok=True)
    mark.write_text(str(start(path, unit)))


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
    for name in unit.get("EnvironmentFile", []):
        for line in Path(name).read_text().splitlines():
            key, _, value = line.partition("=")
            environment[key] = value
    words = ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--init-groups", "--no-new-privs"]
    with open(f"/var/log/{path.stem}.log", "ab") as log:
        process = subprocess.Popen(
            ["/usr/bin/setpriv", *words, "--bounding-set=-all", *shlex.split(unit["ExecStart"][-1])],
            cwd=unit["WorkingDirectory"][-1],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            umask=int(unit["UMask"][-1], 8),
            start_new_session=True,
        )
    return process.pid


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(sys.argv[1:]))
