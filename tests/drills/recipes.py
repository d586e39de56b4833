"""``python -m tests.drills.recipes``: runs the recipe for Spark in docs/recipes.md over an archive; prints its answer.

PySpark (450 MB) is installed into a temporary environment, or taken from that of ``--python``. Needs Java 17 or later.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.features import load
from tests.archives import archive, fill
from tests.recipes import recipes

NEEDS = ("pyspark>=4,<5", "pandas>=2.2,<4", "pyarrow>=18,<30", "setuptools")
AFTER = """
import sys
print(answer.head(10).to_string(index=False))
sys.exit(0 if len(answer) and answer['points'].sum() == {points} else 'the answer does not have all points')
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", help="an interpreter that has pyspark")
    given = parser.parse_args()
    if shutil.which("java") is None:
        sys.exit("this drill needs Java 17 or later")
    with tempfile.TemporaryDirectory(prefix="skywatch-recipes-") as name:
        folder = Path(name)
        python = given.python or _environment(folder / "venv")
        points = _archive(folder)
        [recipe] = recipes("Spark")
        code = recipe.text + AFTER.format(points=points)
        ended = subprocess.run([python, "-c", code], cwd=folder / "archive", stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        sys.exit(f"Spark's recipe failed:\n{ended.stderr[-2000:]}")
    print(f"Spark's recipe: right over {points:,} points")


def _environment(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDS], check=True)
    return python


def _archive(folder: Path) -> int:
    """An archive of three days; how many points it has."""
    urls = {"database_url": f"sqlite:///{folder}/a.sqlite", "archive_url": f"file://{folder}/archive"}
    settings = load({"secret": "x" * 40, "bus": "memory", **urls}, {})
    engine = create_engine(settings.database_url)
    upgrade(engine)
    sessions = create_session_factory(engine)
    points = fill(sessions)
    archive(sessions, settings)
    engine.dispose()
    return len(points)


if __name__ == "__main__":
    main()
