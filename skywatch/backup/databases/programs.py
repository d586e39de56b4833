"""``pg_dump`` and ``pg_restore``: run with the address in the environment, so that no argument holds a password."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from sqlalchemy.engine import URL

from skywatch.backup.errors import BackupError, Refused

ENDED_WITHIN_S = 10.0
_NAMES = {"host": "host", "port": "port", "username": "user", "password": "password", "database": "dbname"}


def program(name: str) -> str:
    """The path of a program of PostgreSQL; raises Refused where it is not installed."""
    path = shutil.which(name)
    if path is None:
        raise Refused(f"{name} is not installed (Debian: postgresql-client)")
    return path


def environment_of(url: URL) -> dict[str, str]:
    """The environment in which libpq connects to a database's address; raises Refused for what has no variable."""
    # An extra: whoever has SQLite may not have the driver.
    from psycopg.pq import Conninfo

    from skywatch.core.database.postgresql import arguments

    options: dict[str, Any] = {**arguments(url.query), **url.query}
    options.update({option: getattr(url, name) for name, option in _NAMES.items() if getattr(url, name) is not None})
    variables = {option.keyword.decode(): option.envvar.decode() for option in Conninfo.get_defaults() if option.envvar}
    environment = {name: value for name, value in os.environ.items() if name not in variables.values()}
    for name, value in options.items():
        if name in variables:
            environment[variables[name]] = ",".join(value) if isinstance(value, tuple) else str(value)
        elif name == "sslpassword":
            raise Refused(
                "pg_dump cannot be given sslpassword; store the key without a password, readable by this user"
            )
    return environment


@contextmanager
def running(
    command: list[str],
    environment: Mapping[str, str],
    failure: Callable[[str], BackupError] = Refused,
    **pipes: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program, which is ended with the block; raises ``failure`` with its last words where it fails."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(command, env=dict(environment), stderr=errors, **pipes)  # noqa: S603
        except OSError as error:
            raise Refused(f"{command[0]} cannot be started: {error.strerror}") from None
        try:
            yield process
        except BrokenPipeError:
            pass  # It has ended, and says why below.
        except BaseException:
            process.kill()
            raise
        finally:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)
            process.wait()
        if process.returncode != 0:
            raise failure(_last_words(errors, os.path.basename(command[0]), process.returncode))


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return


def _last_words(errors: IO[bytes], name: str, code: int) -> str:
    """The first error that a program named: later ones follow from it."""
    errors.seek(0)
    lines = [line.strip() for line in errors.read().decode(errors="replace").splitlines() if line.strip()]
    at = next((number for number, line in enumerate(lines) if "error:" in line), None)
    if at is None:
        return f"{name} failed: {lines[-1] if lines else f'exit code {code}'}"
    detail = next((line for line in lines[at + 1 : at + 2] if line.startswith(("DETAIL", "detail"))), "")
    return f"{lines[at]} {detail}".strip()


def pump(read: Callable[[int], bytes], write: Callable[[bytes], Any], advance: Callable[[int], None]) -> None:
    """Copy from one to the other until nothing is left."""
    while data := read(1 << 20):
        write(data)
        advance(len(data))
