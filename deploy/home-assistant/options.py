"""Writes the ini file of the add-on from the options that Home Assistant has stored and checked.

``python options.py OPTIONS.json FILE.ini``; a fault ends it with one line that names the option. With
``--administrator`` it creates the first administrator of the options instead, while there is no user.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

SKYWATCH = "/opt/skywatch/bin/skywatch"
NAMES = re.compile(r"[a-z][a-z0-9_]{0,31}")
MAX_INPUT_CHARS = 1000
# The proxies are nginx and the network of Home Assistant: a request comes by Home Assistant, whose address is the
# gateway's, and the Supervisor, perhaps by another add-on before them. Each adds an address to X-Forwarded-For.
SETTINGS = """[app:main]
use = egg:skywatch
environment = {environment}
secret = {secret}
database_url = sqlite:///%(here)s/skywatch.sqlite
audio_directory = %(here)s/audio
bus = memory
roles = api tracker realtime worker
listen = 127.0.0.1:6543
realtime_listen = 127.0.0.1:6544
trusted_proxy = 127.0.0.1 172.30.32.0/23
auth_mode = {auth_mode}
{more}
"""


class OptionError(ValueError):
    """An option that cannot be used; ``str()`` is one line for people."""


def settings_of(options: dict[str, Any], secret: str) -> str:
    """The text of the ini file; raises OptionError."""
    receivers = options.get("receivers") or []
    if not receivers:
        raise OptionError("receivers: name at least one, such as roof with the input: beast 192.0.2.7:30005")
    lines, names = [], set()
    for receiver in receivers:
        name, text = str(receiver.get("name", "")), str(receiver.get("input", "")).strip()
        if not NAMES.fullmatch(name) or name in names:
            raise OptionError(f"receivers: {name!r} is no name, or is there twice; use a-z, 0-9 and _, a letter first")
        if not text or not text.isprintable() or len(text) > MAX_INPUT_CHARS:
            problem = f"the input of {name} must be one line of 1 to {MAX_INPUT_CHARS} characters"
            raise OptionError(f"receivers: {problem}")
        names.add(name)
        # What ini files replace stays as it was entered.
        lines.append(f"receiver.{name} = {text.replace('%', '%%')}")
    lines += _station(options)
    auth_mode = options.get("auth_mode", "hybrid")
    if auth_mode not in ("public", "hybrid", "private"):
        raise OptionError("auth_mode: must be public, hybrid or private")
    # Browsers send the cookies of production over TLS alone.
    environment = "production" if options.get("tls") is True else "development"
    return SETTINGS.format(environment=environment, secret=secret, auth_mode=auth_mode, more="\n".join(lines))


def _station(options: dict[str, Any]) -> list[str]:
    latitude, longitude = options.get("station_lat"), options.get("station_lon")
    if latitude is None and longitude is None:
        return []
    if latitude is None or longitude is None:
        raise OptionError("station_lat, station_lon: give both or none")
    lines = []
    for name, value, most in (("station_lat", latitude, 90), ("station_lon", longitude, 180)):
        degrees = float(value)
        if not -most <= degrees <= most:
            raise OptionError(f"{name}: {degrees:g} is not from -{most} to {most} degrees")
        lines.append(f"{name} = {degrees!r}")
    return lines


def administrator_of(options: dict[str, Any]) -> tuple[str, str] | None:
    """Name and password of the first administrator, None where the options name none; raises OptionError."""
    name = str(options.get("admin_username") or "").strip()
    password = str(options.get("admin_password") or "")
    if not name and not password:
        return None
    if not name or not password:
        raise OptionError("admin_username, admin_password: give both or none")
    # Else the command would take the name for one of its options.
    if name.startswith("-"):
        raise OptionError("admin_username: must not begin with -")
    return name, password


def add_administrator(options: dict[str, Any], ini: str, program: str = SKYWATCH) -> str:
    """Create the first administrator, while there is no user; the line for the log. Raises OptionError."""
    administrator = administrator_of(options)
    if subprocess.run([program, "user", "list", ini], check=True, stdout=subprocess.PIPE).stdout.strip():
        return "There is a user: admin_username and admin_password are not read." if administrator else ""
    if administrator is None:
        return "There is no user yet. Give admin_username and admin_password, and start the add-on again."
    name, password = administrator
    command = [program, "user", "add", ini, name, "--role", "superadmin", "--password-stdin"]
    # The password on standard input: command lines can be read by every process.
    done = subprocess.run(command, input=f"{password}\n", capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise OptionError(f"admin_username, admin_password: {reason}")
    return f"{done.stdout.strip()} Remove admin_password from the options now."


def main(source: str, target: str, action: str = "") -> None:
    """Write the ini file; the secret next to it is made once and stays, as logins depend on it."""
    secret_file = Path(target).with_name("secret.txt")
    if not secret_file.exists():
        _write(secret_file, secrets.token_urlsafe(48))
    try:
        options = json.loads(Path(source).read_text(encoding="utf-8"))
        if action == "--administrator":
            print(add_administrator(options, target), flush=True)
            return
        text = settings_of(options, secret_file.read_text(encoding="utf-8").strip())
    except OptionError as error:
        sys.exit(f"The add-on cannot start. Option {error}")
    _write(Path(target), text)


def _write(path: Path, text: str) -> None:
    """A file readable by its owner alone: an input may contain a password."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
