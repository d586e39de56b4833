"""What the subcommands share: reading an ini file, and errors as one line with exit code 1."""

from __future__ import annotations

import dataclasses
import functools
import signal
import sys
from collections.abc import Callable, Mapping
from configparser import Error as IniError
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click
import sqlalchemy as sa
from plaster.uri import parse_uri
from plaster_pastedeploy import Loader

from skywatch.core.bus import BusError
from skywatch.core.database.engine import DatabaseError, damage, is_damaged
from skywatch.core.telemetry import logs
from skywatch.settings import Origin, Settings, SettingsError

LoadSettings = Callable[[Mapping[str, Any]], tuple[Settings, list[Origin]]]
# The exit code of a command that a signal ended early.
INTERRUPTED = 130
# They end a command.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
ini_argument = click.argument("ini", metavar="FILE.ini", type=click.Path(path_type=Path))


class Interrupted(KeyboardInterrupt):
    """Raised where a signal interrupts a command.

    After a plain KeyboardInterrupt in code that ``exec`` got as text (a dataclass that is being imported), the
    interpreter ends by SIGINT although it was handled and the command has exited with a code.
    """


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by raising Interrupted."""
    raise Interrupted


def fail(message: object) -> NoReturn:
    """One line on stderr and exit code 1."""
    click.echo(f"skywatch: {' '.join(str(message).split())}", err=True)
    sys.exit(1)


def one_line_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what an administrator can mend into one line without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kw: Any) -> Any:
        try:
            return command(*args, **kw)
        except (SettingsError, DatabaseError, BusError, IniError) as error:
            fail(error)
        except sa.exc.DBAPIError as error:
            if not is_damaged(error):
                raise
            # The part that is damaged is read only now.
            fail(f"setting database_url: the database {damage(error)}")
        except KeyboardInterrupt:
            # Told to stop before there was anything to stop.
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)

    return wrapped


def read_section(path: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The section ``[app:main]`` of an ini file; ``variables`` may be used in it as ``%(name)s``."""
    if not path.is_file():
        fail(f"{path}: there is no such file")
    loader = Loader(parse_uri(f"file+ini://{path.resolve()}"))
    try:
        return dict(loader.get_wsgi_app_settings("main", variables))
    except LookupError:
        fail(f"{path}: there is no section [app:main]")
    except UnicodeDecodeError:
        fail(f"{path}: is not an ini file (not UTF-8 text)")


def read_ini(path: Path, defaults: Mapping[str, str] | None = None) -> tuple[Settings, list[Origin]]:
    """The settings of an ini file's ``[app:main]`` section and the environment; ``defaults`` for what neither names."""
    section = read_section(path)
    # The root command has the installation's features, and so can read its settings.
    load: LoadSettings = click.get_current_context().find_root().obj
    settings, origins = load({**(defaults or {}), **section})
    return dataclasses.replace(settings, ini=str(path.resolve())), origins


def set_up_logging(settings: Settings) -> None:
    """Log lines to stderr."""
    logs.set_up(settings.log_level, settings.log_format)
