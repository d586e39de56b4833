"""``skywatch init --new FILE.ini``: writes a commented file; asks on a terminal."""

from __future__ import annotations

import math
import os
import re
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from skywatch.core.database.migrations import location_in_ini
from skywatch.core.terminal.command import fail
from skywatch.inputs.options import Station
from skywatch.receivers.factory import open_receiver
from skywatch.settings import SettingsError, split_listen

SIMULATOR = "simulate aircraft=200"
LISTEN = "127.0.0.1:6543"
LOOPBACK = ("127.0.0.1", "localhost", "::1")

TEMPLATE = """\
# Skywatch: everything in one process, SQLite, no other server.
#
#   skywatch init {path}      creates or upgrades the database; safe to repeat
#   skywatch doctor {path}    tries these settings and says what to mend
#   skywatch serve {path}     runs the service
#   skywatch settings {path}  shows every setting and where its value comes from

[app:main]
use = egg:skywatch
environment = production

# Signs the tokens of logins. Whoever knows it can be anybody: this file is readable by its owner alone.
secret = {secret}

# The database and recordings of airband are next to this file.
database_url = sqlite:///%(here)s/skywatch.sqlite
audio_directory = %(here)s/audio
bus = memory
roles = api tracker realtime worker

# Where the service listens: the web application and the REST API, and the real-time channel on the next port.
# 127.0.0.1 is this machine alone; 0.0.0.0 is everybody on the network.
listen = {listen}
realtime_listen = {realtime_listen}

# public: everybody who reaches the address sees everything; hybrid: the feature access settings decide who sees what
# (at the start: whoever is logged in); private: after a login only.
auth_mode = hybrid

# Your receiver, and as many more as you like under other names:
#   receiver.roof = beast localhost:30005
#   receiver.roof = readsb http://localhost/tar1090/data/aircraft.json
#   receiver.roof = sbs localhost:30003
receiver.{name} = {receiver}

# Where the antenna is, in degrees: distances are measured from here, and positions that it cannot receive are refused.
{station}

# `pserve {path}` is `skywatch serve {path}`; `alembic -c {path} upgrade head` upgrades the schema alone.
[server:main]
use = egg:skywatch

[alembic]
script_location = {migrations}
"""


@dataclass(frozen=True)
class Answers:
    """What differs from one installation to the next; ``station`` is (lat, lon) in degrees or None."""

    receiver: str = SIMULATOR
    station: Station = None
    listen: str = LISTEN


# click's types have had a parameter since 8.5.
class ReceiverText(click.ParamType):  # type: ignore[type-arg]
    """A receiver as the ini file names it, such as ``beast localhost:30005``."""

    name = "receiver"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = " ".join(value.split())
        try:
            open_receiver("roof", text, None)
        except SettingsError as error:
            self.fail(error.reason, param, ctx)
        return text


class StationText(click.ParamType):  # type: ignore[type-arg]
    """Two numbers in degrees, such as ``47.45, 8.56``; a hyphen where the position is not to be named."""

    name = "LAT,LON"

    def convert(self, value: str | Station, param: click.Parameter | None, ctx: click.Context | None) -> Station:
        if not isinstance(value, str) or value.strip() in ("", "-"):
            return None
        parts = [part for part in re.split(r"[,;\s]", value) if part]
        try:
            lat, lon = map(float, parts)
        except ValueError:
            self.fail(f"{value!r} is not a position; expected two numbers in degrees, such as 47.45, 8.56", param, ctx)
        if not (math.isfinite(lat) and math.isfinite(lon) and -90 <= lat <= 90 and -180 <= lon <= 180):
            self.fail(f"{value!r} is not on this planet; expected -90 to 90, then -180 to 180 degrees", param, ctx)
        return lat, lon


class ListenText(click.ParamType):  # type: ignore[type-arg]
    """Host and port; the real-time channel takes the port after it."""

    name = "HOST:PORT"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            _, port = split_listen(value.strip())
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if not 1 <= port < 65535:
            self.fail("expected a port between 1 and 65534: the real-time channel takes the next one", param, ctx)
        return value.strip()


def ask(receiver: str | None, station: Station, listen: str | None) -> Answers:
    """The answers that options have not given, asked for on a terminal; elsewhere the defaults."""
    if not is_interactive():
        return Answers(receiver or SIMULATOR, station, listen or LISTEN)
    click.echo("Where do aircraft come from? For example: beast localhost:30005, sbs localhost:30003,")
    click.echo("readsb http://localhost/tar1090/data/aircraft.json - or simulated ones for a first look.")
    return Answers(
        receiver or click.prompt("Receiver", default=SIMULATOR, type=ReceiverText()),
        station or click.prompt("Position of the antenna: latitude, longitude (- for none)", "-", type=StationText()),
        listen or click.prompt("Address and port of the service", default=LISTEN, type=ListenText()),
    )


def is_interactive() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def write(path: Path, answers: Answers) -> None:
    """Write the file, readable by its owner alone; a file that is already there is left as it is."""
    host, port = split_listen(answers.listen)
    shown_host = f"[{host}]" if ":" in host else host
    if answers.station is None:
        station = "# station_lat = 47.45\n# station_lon = 8.56"
    else:
        station = "station_lat = {:g}\nstation_lon = {:g}".format(*(round(part, 6) for part in answers.station))
    text = TEMPLATE.format(
        path=path,
        secret=secrets.token_urlsafe(48),
        listen=answers.listen,
        realtime_listen=f"{shown_host}:{port + 1}",
        name="demo" if answers.receiver.startswith("simulate") else "roof",
        receiver=answers.receiver.replace("%", "%%"),
        station=station,
        migrations=location_in_ini().replace("%", "%%"),
    )
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        fail(f"{path}: exists already; `skywatch init {path}` creates or upgrades its database")
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror}")
    click.echo(f"Wrote {path}.")
    if host not in LOOPBACK:
        click.echo(
            "Everybody on the network can reach it, without TLS: the manual's page on deployment says how to add it."
        )
    click.echo(f"Next: skywatch init {path} && skywatch serve {path}")
