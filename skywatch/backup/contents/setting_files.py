"""The files of an installation's settings: FILE.ini, and those that it takes over with ``use = config:OTHER.ini``."""

from __future__ import annotations

import configparser
import contextlib
import os
from pathlib import Path

from skywatch.backup.contents.sealed import PrivatePart
from skywatch.backup.errors import Refused
from skywatch.core.database.engine import sqlite_file
from skywatch.core.private_files import private_opener
from skywatch.core.process.secret_file import path_of
from skywatch.settings import Settings

PREFIX = "config:"
# Files that take over each other endlessly are refused by PasteDeploy; nobody has more than a few.
MAX_FILES = 20
ENDING = ".restored"


def setting_files(ini: Path) -> list[Path]:
    """The file and those that it takes over, each once."""
    files = [ini.absolute()]
    for file in files:
        parser = configparser.RawConfigParser(strict=False)
        with contextlib.suppress(configparser.Error, UnicodeDecodeError, OSError):
            parser.read(file, encoding="utf-8")
        for section in parser.sections():
            text = parser.get(section, "use", fallback="")
            if text.startswith(PREFIX):
                other = file.parent / text.removeprefix(PREFIX).partition("#")[0].strip()
                if other.is_file() and other not in files and len(files) < MAX_FILES:
                    files.append(other)
    return files


def private_part(ini: Path, settings: Settings) -> PrivatePart:
    """What is encrypted of an installation; raises Refused where a file cannot be read."""
    texts: dict[str, str] = {}
    for file in setting_files(ini):
        try:
            texts[_free_name(file.name, texts)] = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8 text'}", file) from None
    return PrivatePart(texts, stored_secret(settings))


def _free_name(name: str, texts: dict[str, str]) -> str:
    number = 2
    free = name
    while free in texts:
        free, number = f"{number}-{name}", number + 1
    return free


def stored_secret(settings: Settings) -> str:
    """The secret that the settings name, else the one in the file next to the database; empty where there is none."""
    path = path_of(settings)
    if settings.secret or path is None:
        return settings.secret
    try:
        return path.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError):
        raise Refused("cannot be read", path) from None


def place_beside(ini: Path, settings: Settings) -> Path:
    """The folder of FILE.ini, or, where this user may not write there (``/etc``), that of the SQLite database or the
    current one."""
    database = sqlite_file(settings.database_url)
    folders = [ini.absolute().parent, *([database.absolute().parent] if database is not None else []), Path.cwd()]
    return next((folder for folder in folders if os.access(folder, os.W_OK | os.X_OK)), folders[0])


def write_restored(ini: Path, folder: Path, private: PrivatePart) -> list[Path]:
    """Write the files of the backup that differ from those of FILE.ini, as NAME.restored; raises OSError."""
    written = []
    here = {file.name: file for file in setting_files(ini)}
    for number, (name, text) in enumerate(private.files.items()):
        name = Path(name).name
        present = ini if number == 0 else here.get(name)
        if present is not None and present.read_text(encoding="utf-8") == text:
            continue
        path = folder / f"{name}{ENDING}"
        write_private(path, text)
        written.append(path)
    return written


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone may read, in place of one of that name; raises OSError."""
    temporary = path.with_name(f"{path.name}.writing")
    temporary.unlink(missing_ok=True)
    with open(temporary, "x", encoding="utf-8", opener=private_opener) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
