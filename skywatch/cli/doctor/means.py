"""The file itself, the database, the bus and the clock."""

from __future__ import annotations

import ctypes
import glob
import os
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from skywatch.core.bus import BusError, open_bus
from skywatch.core.database.engine import DatabaseError, check_connection, create_engine, reason, sqlite_file
from skywatch.core.database.migrations import check_schema
from skywatch.core.database.models import FencingToken
from skywatch.core.private_files import wider
from skywatch.core.process import late_imports
from skywatch.core.terminal.checks import Finding, fault, ok, warning
from skywatch.settings import Origin, Settings

CLOCK_DIFFERENCE_S = 2.0
# No installation of this version runs before this day: a clock without a battery starts in 1970.
EARLIEST = 1_767_225_600  # 2026-01-01
TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised


def check_file(ini: Path, origins: Sequence[Origin]) -> Iterator[Finding]:
    """Which users may read a file with secrets."""
    in_file = [origin.name for origin in origins if origin.secret and origin.source == "ini" and origin.value]
    status = ini.stat()
    # A file of root's can reach the service through the service's own group alone, as the Debian package has it.
    mode = 0o640 if status.st_uid != os.geteuid() and status.st_gid == os.getegid() else 0o600
    if in_file and stat.S_IMODE(status.st_mode) & 0o077 & ~mode:
        names = ", ".join(in_file)
        yield warning("settings", f"{names} can be read by other users of this machine", f"chmod {mode:o} {ini}")
    else:
        yield ok("settings", f"{sum(origin.source != 'default' for origin in origins)} are set, all of them are valid")


def check_libraries() -> Iterator[Finding]:
    """Whether what a service imports at its first use can be imported."""
    broken = late_imports.faults()
    for name, why in broken.items():
        yield fault("libraries", f"{name} cannot be imported ({why})", "install Skywatch again")
    if not broken:
        yield ok("libraries", f"{len(late_imports.LATE)} that are imported when they are needed, all of them are there")


def check_files(settings: Settings) -> Iterator[Finding]:
    """Files of the database that other users of this machine may read."""
    database = sqlite_file(settings.database_url)
    open_to_others = list(wider(_files_of(database))) if database is not None else []
    for path in open_to_others:
        yield warning("files", f"{path} can be read by other users of this machine", f"chmod 600 {path}")
    if database is not None and not open_to_others:
        yield ok("files", "the database can be read by this user alone")


def _files_of(database: Path) -> Iterator[Path]:
    """The database and what belongs to it: journals, the secret, locks."""
    yield database
    yield from sorted(database.parent.glob(f"{glob.escape(database.name)}[-.]*"))


def check_database(settings: Settings, ini: Path) -> Iterator[Finding]:
    """Connection, schema, whether it can be written, and the difference of its clock."""
    try:
        engine = create_engine(settings.database_url)
        check_connection(engine)
    except DatabaseError as error:
        is_file = sqlite_file(settings.database_url) is not None
        others = "make room, or give the folder to this user" if is_file else "start the server"
        yield fault("database", str(error).removeprefix("setting database_url: "), f"mend database_url, or {others}")
        return
    try:
        yield from _look_into(engine, ini)
    finally:
        engine.dispose()


def _look_into(engine: Engine, ini: Path) -> Iterator[Finding]:
    shown = engine.url.render_as_string(hide_password=True)
    try:
        check_schema(engine)
    except DatabaseError as error:
        text, _, _ = str(error).removeprefix("setting database_url: ").partition(";")
        yield fault("database", text, f"skywatch init {ini}")
        return
    try:
        with engine.connect() as connection:
            # An update of no row takes the locks and permissions of one, and changes nothing.
            connection.execute(sa.update(FencingToken).where(FencingToken.name == "").values(token=FencingToken.token))
            server = (
                connection.scalar(sa.text("SELECT extract(epoch FROM clock_timestamp())"))
                if _is_server(engine)
                else None
            )
            difference = abs(float(server) - time.time()) if server is not None else 0.0
            connection.rollback()
    except sa.exc.DBAPIError as error:
        yield fault(
            "database", f"{shown} cannot be written: {reason(error)}", "give this user the right to write to it"
        )
        return
    yield ok("database", f"{shown} is up to date and can be written")
    if difference > CLOCK_DIFFERENCE_S:
        yield fault("clock", f"differs by {difference:.0f} s from the database's", "synchronise both machines (NTP)")


def _is_server(engine: Engine) -> bool:
    return engine.url.get_backend_name() != "sqlite"


def check_bus(settings: Settings) -> Iterator[Finding]:
    """Whether the bus takes a value and returns it."""
    if settings.bus == "memory":
        yield ok("bus", "in memory: all roles run in one process")
        return
    key, value = f"doctor/{os.getpid()}", b"%d" % time.time_ns()
    try:
        bus = open_bus(settings.bus, settings.bus_prefix)
        try:
            bus.put(key, value, ttl_s=10)
            returned = bus.get(key)
            bus.delete(key)
        finally:
            bus.close()
    except BusError as error:
        yield fault("bus", str(error).removeprefix("setting bus: "), "mend bus, or start the server")
        return
    if returned != value:
        yield fault("bus", "does not return what was written to it", "name a server that takes writes, not a replica")
    else:
        yield ok("bus", "takes a value and returns it")


def database_folder(settings: Settings) -> Path | None:
    """The folder of the SQLite file; None where the database is a server's."""
    path = sqlite_file(settings.database_url)
    return None if path is None else path.parent


def check_clock(now_s: float) -> Iterator[Finding]:
    """Whether the clock can be right, and whether the system says that it is synchronised."""
    if now_s < EARLIEST:
        yield fault(
            "clock", f"says {time.strftime('%Y-%m-%d', time.gmtime(now_s))}", "set it; a service for NTP keeps it right"
        )
    elif is_synchronised() is False:
        yield warning(
            "clock", "is not synchronised", "timedatectl set-ntp true; times of flights and logins depend on it"
        )
    else:
        yield ok("clock", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now_s)))


def is_synchronised() -> bool | None:
    """Whether the kernel holds the clock to be synchronised; None where it cannot be asked."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        # struct timex is 208 bytes on 64-bit systems; all zeroes only reads.
        state = libc.adjtimex(ctypes.create_string_buffer(512))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != TIME_ERROR
