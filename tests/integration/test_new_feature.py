"""A feature made by ``skywatch new-feature`` passes the checks of the house, and is removed again without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.nightly("short form of a drill")

NAME = "photos"
# What a new feature can break; the whole suite is for the house as it is.
TESTS = (
    f"tests/functional/slices/test_{NAME}.py",
    "tests/unit/security/test_verdicts.py",
    "tests/unit/test_design_web.py",
    "tests/unit/test_floors.py",
    "tests/unit/test_manual.py",
    "tests/unit/test_web_texts.py",
    "tests/unit/test_benchmarks.py::test_exceptions_have_a_reason",
    "tests/functional/access/test_matrix.py::test_every_operation_has_exactly_one_row",
    "tests/functional/access/test_matrix.py::test_every_operation_is_in_the_manual",
    "tests/functional/access/test_matrix.py::test_every_answer_is_the_one_in_the_table[permission]",
    "tests/functional/auditing/test_walk.py::test_every_write_is_performed_here_or_is_an_exception",
    "tests/functional/auditing/test_walk.py::test_every_write_of_a_subject_leaves_its_entry[api_slices]",
    "tests/functional/test_examples.py",
    "tests/functional/test_openapi.py",
    "tests/integration/test_migrations.py::test_the_schema_is_the_one_the_models_say",
)


class Checkout:
    """A clone of what is committed, with the packages of the web application and the bytecode of here next to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        modules = ROOT / "web" / "node_modules"
        if modules.is_dir():
            shutil.copytree(modules, folder / "web" / "node_modules", symlinks=True, copy_function=os.link)
        self._share_bytecode()

    def _share_bytecode(self) -> None:
        """Link what is compiled already; it is valid for files of the same age and size."""
        command = ["git", "ls-files", "*.py"]
        listed = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout
        names = [Path(name) for name in listed.splitlines()]
        for name in names:
            if (ROOT / name).exists() and (ROOT / name).read_bytes() == (self.folder / name).read_bytes():
                shutil.copystat(ROOT / name, self.folder / name)
        for place in {name.parent / "__pycache__" for name in names}:
            (self.folder / place).mkdir()
            # Other processes may be replacing theirs.
            for compiled in (ROOT / place).glob("*.pyc"):
                with suppress(FileNotFoundError):
                    os.link(compiled, self.folder / place / compiled.name)

    def run(self, *arguments: str) -> str:
        """What Python wrote in the clone; fails the test where it failed."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    def status(self) -> str:
        """What git shows as changed."""
        command = ["git", "status", "--porcelain"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout


# Checks a whole checkout: on a busy machine it takes many times longer.
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("parts", ["", "topic,member,setting,manual"], ids=["smallest", "every part"])
def test_a_new_feature_passes_and_leaves_no_trace(parts, tmp_path):
    checkout = Checkout(tmp_path / "skywatch")
    checkout.run("-m", "skywatch", "new-feature", NAME, "--with", parts)
    assert f"?? skywatch/{NAME}/" in checkout.status()
    checkout.run("-m", "ruff", "check", ".")
    checkout.run("-m", "ruff", "format", "--check", ".")
    checkout.run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")
    # Another process would import and prepare everything for a few tests of its own.
    checkout.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
    # Types are checked in all files; the form of the others is as committed.
    checkout.run("web/make.py", "check", "src/features.ts", f"src/features/{NAME}")
    checkout.run("-m", "skywatch", "new-feature", "--remove", NAME)
    assert checkout.status() == ""
    assert not (checkout.folder / "skywatch" / NAME).exists()
