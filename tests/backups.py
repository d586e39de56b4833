"""Installations for tests of backups: one that is backed up, one that is restored into, and their rows compared."""

from __future__ import annotations

import configparser
import dataclasses
import functools
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.accounts.models import Login, PasswordReset, User
from skywatch.backup.contents import passphrase
from skywatch.backup.databases import sqlite
from skywatch.cli import group
from skywatch.core.clock import utcnow
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import FencingToken
from skywatch.features import load
from skywatch.notify.models import Delivery
from tests.notifying import add_channel, add_user

PASSPHRASE, SECRET = "correct horse battery", "0123456789-of-the-installation-abcdef"
RECORDING = b"RIFF" + bytes(range(256)) * 20


@pytest.fixture(scope="session", autouse=True)
def cheap_backups() -> Iterator[None]:
    """Passphrases that take a millisecond, and one schema for all backups to be compared with: half a second each.

    The cost of a passphrase stands in each backup.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passphrase, "COST", 2**10)
        patch.setattr(passphrase, "PASSES", 1)
        patch.setattr(sqlite, "schema_made", functools.cache(sqlite.schema_made))
        yield


def skywatch(*arguments):
    """Run a command in this process; its result has ``exit_code``, ``stdout`` and ``stderr``."""
    return CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)


def refused(code, *arguments):
    """The one line of a command that is refused with this code."""
    result = skywatch(*arguments)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    line = result.stderr.removeprefix("skywatch: ")
    assert line.endswith("\n")
    assert line.count("\n") == 1
    return line.strip()


class Installation:
    """An ini file with a database, a folder of recordings and a passphrase file, all in one folder."""

    def __init__(self, folder: Path, database_url: str, secret: str = SECRET, **settings: object) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.url, self.secret = folder, database_url, secret
        self.ini, self.audio, self.passphrase = folder / "skywatch.ini", folder / "audio", folder / "passphrase"
        values = {
            "environment": "development",
            "database_url": database_url,
            "audio_directory": self.audio,
            "secret": secret,
            **settings,
        }
        lines = [f"{name} = {str(value).replace('%', '%%')}" for name, value in values.items() if value]
        self.ini.write_text("[app:main]\nuse = egg:skywatch\n" + "\n".join(lines) + "\n")
        self.passphrase.write_text(PASSPHRASE + "\n")

    def settings(self):
        """What a command has of the ini file."""
        parser = configparser.ConfigParser()
        parser.read(self.ini)
        section = {name: value for name, value in parser["app:main"].items() if name != "use"}
        return dataclasses.replace(load(section), ini=str(self.ini))

    @contextmanager
    def session(self):
        engine = create_engine(self.url)
        seal_columns(engine, self.secret)
        try:
            with writing(create_session_factory(engine)) as session:
                yield session
        finally:
            engine.dispose()

    def fill(self) -> Installation:
        """A user with a login, a link for a new password, a channel with waiting deliveries, and recordings."""
        engine = create_engine(self.url)
        seal_columns(engine, self.secret)
        sessions = create_session_factory(engine)
        user_id = add_user(sessions)
        channel_id = add_channel(sessions, user_id, address="https://example.org/secret-hook")
        now = utcnow()
        with writing(sessions) as session:
            session.add(
                Login(
                    id="a" * 32, user_id=user_id, method="local", refresh_id="b" * 32, expires_at=now.replace(year=2100)
                )
            )
            session.add(PasswordReset(token_hash="c" * 64, user_id=user_id, expires_at=now.replace(year=2100)))
            session.add(FencingToken(name="tracker", token="before", taken_at=now))
            for number, state in enumerate(("pending", "sending", "held", "delivered", "dead")):
                session.add(
                    Delivery(
                        message_id=f"msg_{number}", channel_id=channel_id, user_id=user_id, kind="alert",
                        event="alert.triggered", subject_id=number, priority="info", title="Title", text="Text ✈",
                        body={"n": number}, at=now, state=state, next_at=now, expires_at=now.replace(year=2100),
                    )
                )  # fmt: skip
        engine.dispose()
        for name, data in (("2026/11/24/one.wav", RECORDING), ("2026/11/25/two.mp3", b""), ("incoming/half", b"x")):
            path = self.audio / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return self

    def back_up(self, target: Path, *options: object):
        result = skywatch("backup", self.ini, target, *(options or ("--passphrase-file", self.passphrase)))
        assert result.exit_code == 0, result.output
        return result

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """All rows of all tables as the database has them, in the order of their text."""
        engine = sa.create_engine(create_engine(self.url).url)
        with engine.connect() as connection:
            rows = {
                name: sorted((tuple(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')), key=repr)
                for name in sa.inspect(connection).get_table_names()
            }
        engine.dispose()
        return rows

    def recordings(self) -> dict[str, str]:
        """The hashes of the recordings by their path."""
        return {
            path.relative_to(self.audio).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.audio.rglob("*")
            if path.is_file() and "incoming" not in path.parts
        }


def read_document(target: Path) -> dict[str, Any]:
    """The manifest of a backup without what authenticates it."""
    document = json.loads((target / "manifest.json").read_text())
    return {name: value for name, value in document.items() if name not in ("authentication", "mac", "checksum")}


def write_unauthenticated(target: Path, document: dict[str, Any]) -> None:
    """Write a manifest as anybody can write it: its last member is the SHA-256 of what stands before."""
    body = json.dumps(document, indent=2)[: -len("\n}")]
    checksum = hashlib.sha256(body.encode()).hexdigest()
    (target / "manifest.json").write_text(f'{body},\n  "checksum": "{checksum}"\n}}\n')


def listed_anew(target: Path, document: dict[str, Any]) -> dict[str, Any]:
    """The manifest with sizes and hashes of the files as they are now."""
    files = []
    for file in document["files"]:
        data = (target / file["name"]).read_bytes()
        files.append({**file, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    return {**document, "files": files}


def user_names(installation: Installation) -> list[str]:
    """The users of an installation."""
    with installation.session() as session:
        return list(session.scalars(sa.select(User.username).order_by(User.id)))


def modes(folder: Path) -> set[int]:
    """The modes of all files below a folder."""
    return {os.stat(Path(at, name)).st_mode & 0o777 for at, _, names in os.walk(folder) for name in names}
