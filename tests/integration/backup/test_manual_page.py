"""The page "Backup and restore" of the manual, walked word for word: its commands as they stand there, in bash."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skywatch.backup.settings import BackupSettings
from tests.backups import Installation
from tests.conftest import ROOT
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.servers import program
from tests.waiting import PATIENCE_S

PAGE = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8")


def commands(heading):
    """The lines after the prompt in the console blocks below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def folder(tmp_path, migrated_sqlite):
    """A folder with skywatch.ini, as the manual has it, and a database with rows and recordings."""
    here = Installation(
        tmp_path,
        f"sqlite:///{tmp_path}/a.sqlite",
        station_name="Lost and found",
        listen=f"127.0.0.1:{free_port()}",
        realtime_listen=f"127.0.0.1:{free_port()}",
        **{"receiver.demo": "simulate aircraft=5"},
    )
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite")
    here.fill()
    here.passphrase.unlink()
    return here


def walk(here, heading):
    """Run a section's commands; what they print. ``/backup`` of the manual is a folder of the test's."""
    program("openssl")
    lines = [line.replace("/backup/", f"{here.folder}/backups/") for line in commands(heading)]
    assert lines
    programs = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=here.folder,
        env={**ENVIRONMENT, "PATH": f"{programs}:{ENVIRONMENT['PATH']}"},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_verify_lose_everything_and_restore(folder):
    before, recordings, ini = folder.rows(), folder.recordings(), folder.ini.read_text()
    output = walk(folder, "Make one")
    assert "Backed up" in output
    assert "is complete and authenticated" in output
    assert (folder.folder / "passphrase").stat().st_mode & 0o777 == 0o600
    for path in folder.folder.glob("a.sqlite*"):
        path.unlink()
    shutil.rmtree(folder.audio)
    # FILE.ini is lost, too: what the manual says is enough.
    kept = ("[app", "use", "environment", "database_url", "audio_directory", "listen", "realtime", "receiver")
    folder.ini.write_text("\n".join(line for line in ini.splitlines() if line.startswith(kept)) + "\n")
    output = walk(folder, "Restore")
    assert "Restored" in output
    assert "is up to date and can be written" in output
    assert folder.rows()["users"] == before["users"]
    assert folder.recordings() == recordings
    assert (folder.folder / "skywatch.ini.restored").read_text() == ini
    assert (folder.folder / "a.sqlite.secret").read_text().strip() == folder.secret


def test_settings_of_the_page_are_those_there_are():
    [block] = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
    names = {line.partition(" = ")[0] for line in block.splitlines()}
    assert names == {name for name in BackupSettings.__annotations__ if name.startswith("backup_")}
