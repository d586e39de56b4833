"""Other releases, built from this repository's own history, to run next to the present one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from release.record import read
from skywatch.core.database.migrations import configuration
from tests.conftest import ROOT
from tests.processes import SKYWATCH, environment_of

# Until there is a release, the commit before this file came stands for one: its schema is of revision 0028.
_FIRST_STEP = "alembic/versions/0029_delivered_by.py"


def newest_release() -> str:
    """The commit of the newest release; skips the test where the history does not have it."""
    releases = read(ROOT)
    commit = releases[-1].commit if releases else _before(_FIRST_STEP)
    if not commit or _git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
        pytest.skip(f"the history of this checkout is too short for the commit of the newest release ({commit or '?'})")
    return commit


def build(commit: str, folder: Path) -> Path:
    """The code of a commit below a folder, with what names its entry points; packages are those of this checkout."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return _describe(folder)


def build_next(folder: Path) -> Path:
    """The release after this one: the code of this checkout with one more step of the schema, which expands."""
    for name in _git("ls-files", "skywatch", "alembic", "setup.py", "pyproject.toml", "README.md").stdout.split():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (head,) = ScriptDirectory.from_config(configuration()).get_heads()
    (folder / "alembic/versions/9001_next.py").write_text(_NEXT_STEP.format(head=head))
    return _describe(folder)


def command(tree: Path | None, *arguments: str, stdin: str = "", **environment: str) -> str:
    """``skywatch ARGUMENTS`` with the code of a checkout; what it printed."""
    done = subprocess.run(
        [*SKYWATCH, *arguments],
        env={**environment_of(tree), **environment},
        cwd=tree,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_nats(tree: Path) -> bool:
    """Whether a release knows the bus on NATS."""
    return any((tree / "skywatch/core/bus").glob("nats*"))


def _describe(folder: Path) -> Path:
    describe = [sys.executable, "setup.py", "-q", "egg_info"]
    subprocess.run(describe, cwd=folder, capture_output=True, check=True)
    return folder


def _before(file: str) -> str:
    added = _git("log", "--diff-filter=A", "--format=%H", "--", file).stdout.split()
    return _git("rev-parse", "--verify", "--quiet", f"{added[-1]}^").stdout.strip() if added else ""


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


_NEXT_STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9001", "{head}", None, None


def upgrade():
    op.add_column("users", sa.Column("next_release", sa.String(8), nullable=False, server_default="n"))
    op.create_table("next_release", sa.Column("id", sa.Integer, primary_key=True))


def downgrade():
    op.drop_table("next_release")
    op.drop_column("users", "next_release")
"""
