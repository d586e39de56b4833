"""The checkout: what git says of it, and the programs that write parts of it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.new_feature.names import Refusal

# These write pages of the manual from tables of the code.
GENERATORS = (("docs/generate.py",), ("-m", "tests.functional.access.page"))
GENERATED = (Path("docs/reference"), Path("docs/access-matrix.md"))


def changed_paths(root: Path) -> list[Path]:
    """Paths with changes that are not committed; raises Refusal where git does not answer."""
    command = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        raise Refusal("git cannot be run, so that nobody knows what is committed (--force goes on)") from None
    if done.returncode:
        raise Refusal(f"{root} is no git repository (--force goes on)")
    return [Path(entry[3:]) for entry in done.stdout.split("\0") if entry]


def check_clean(root: Path, except_for: Sequence[Path] = ()) -> None:
    """Raise Refusal where something else than these files and folders has changes that are not committed."""
    others = [path for path in changed_paths(root) if not any(path.is_relative_to(one) for one in except_for)]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise Refusal(f"{others[0]}{more} has changes that are not committed: commit them first (--force goes on)")


def check_tools() -> None:
    """Raise Refusal where the development tools are not installed."""
    missing = [name for name in ("ruff", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        raise Refusal(f"{' and '.join(missing)} is not installed here: run `make .venv`, then .venv/bin/skywatch")


def tidy(root: Path, paths: Sequence[Path]) -> None:
    """Sort the imports of new Python files, whose order depends on the name, and format them."""
    files = [str(path) for path in paths if path.suffix == ".py"]
    # Formatted first: the check refuses lines that the formatter divides.
    _run(root, "-m", "ruff", "format", "--quiet", *files)
    _run(root, "-m", "ruff", "check", "--quiet", "--fix", "--output-format=concise", *files)
    _run(root, "-m", "ruff", "format", "--quiet", *files)


def generate(root: Path) -> None:
    """Regenerate the pages of the manual that are generated."""
    for generator in GENERATORS:
        _run(root, *generator)


def _run(root: Path, *arguments: str) -> None:
    """Run Python with these arguments; raises Refusal with the last line of what it wrote where it fails."""
    # This very checkout, whatever else is installed.
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        # A traceback ends with its reason, a list of findings begins with one.
        lines = [*done.stderr.strip().splitlines()[-1:], *done.stdout.strip().splitlines()[:1], "no reason given"]
        raise Refusal(f"`python {' '.join(arguments[:3])}` failed: {lines[0]}")
