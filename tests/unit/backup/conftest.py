"""A backup of an SQLite installation, made once and copied for each test that damages it."""

from __future__ import annotations

import shutil

import pytest

from skywatch.backup.contents import passphrase
from tests.backups import Installation, cheap_backups

__all__ = ["cheap_backups"]

COST_OF_THE_SERVICE = (passphrase.COST, passphrase.BLOCK, passphrase.PASSES)


@pytest.fixture(scope="session")
def origin(tmp_path_factory, migrated_sqlite):
    """The installation that is backed up, and its backup in the folder ``backup``."""
    folder = tmp_path_factory.mktemp("origin")
    here = Installation(folder / "here", f"sqlite:///{folder}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    here.fill().back_up(folder / "backup")
    return here


@pytest.fixture
def target(origin, tmp_path):
    """A copy of the backup."""
    return shutil.copytree(origin.folder.parent / "backup", tmp_path / "backup")


@pytest.fixture
def there(tmp_path):
    """An installation without a database."""
    return Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite")
