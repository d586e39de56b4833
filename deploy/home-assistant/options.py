"""Writes the ini file of the add-on from the options that Home Assistant has stored and checked.

``python options.py OPTIONS.json FILE.ini``; a fault ends it with one line that names the option.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from pathlib import Path
from typing import Any

NAMES = re.compile(r"[a-z][a-z0-9_]{0,31}")
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
trusted_proxy = 127.0.0.1 172.30.32.2
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
        if not text or not text.isprintable():
            raise OptionError(f"receivers: the input of {name} must be one line")
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
    return [f"station_lat = {float(latitude)!r}", f"station_lon = {float(longitude)!r}"]


def main(source: str, target: str) -> None:
    """Write the ini file; the secret beside it is made once and stays, as logins depend on it."""
    secret_file = Path(target).with_name("secret.txt")
    if not secret_file.exists():
        _write(secret_file, secrets.token_urlsafe(48))
    try:
        options = json.loads(Path(source).read_text(encoding="utf-8"))
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
