"""The next minor version of every pinned package, one at a time: does Skywatch work with it?

``python -m tests.drills.versions [PACKAGE ...]`` takes the requirements of ``setup.py`` that have an upper bound, looks
for the first minor version that the bound excludes, installs it into an environment of its own and runs the unit and
functional tests. Prints a line for each package; the exit code is 1 if one failed. Meant for a weekly run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("tests/unit", "tests/functional")
QUOTED = re.compile(r'"([a-zA-Z0-9_.-]+(?:\[[a-z]+\])?[<>=][^"]*)"')
AVAILABLE = re.compile(r"^Available versions: (.+)$", re.MULTILINE)


def bounded_requirements(setup: str) -> list[Requirement]:
    """The requirements in the text of ``setup.py`` that have an upper bound, each name once."""
    requirements = {r.name: r for r in map(Requirement, QUOTED.findall(setup))}
    return [r for _, r in sorted(requirements.items()) if any(part.operator in ("<", "<=") for part in r.specifier)]


def next_minor(requirement: Requirement, available: Iterable[str]) -> Version | None:
    """The newest patch of the first minor version above the upper bound, or None if there is none yet."""
    bound = min(Version(part.version) for part in requirement.specifier if part.operator in ("<", "<="))
    above = sorted(v for v in map(Version, available) if v >= bound and not v.is_prerelease)
    if not above:
        return None
    return max(v for v in above if v.release[:2] == above[0].release[:2])


def main(arguments: list[str] | None = None) -> int:
    """Try the packages; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("packages", nargs="*", help="names of packages (default: every one with an upper bound)")
    chosen = set(parser.parse_args(arguments).packages)
    failed = False
    for requirement in bounded_requirements((ROOT / "setup.py").read_text(encoding="utf-8")):
        if chosen and requirement.name not in chosen:
            continue
        version = next_minor(requirement, _available(requirement.name))
        if version is None:
            print(f"{requirement}: nothing newer", flush=True)
            continue
        fault = _try(requirement.name, version)
        failed |= fault is not None
        print(f"{requirement}: {version} {'works' if fault is None else 'fails: ' + fault}", flush=True)
    return int(failed)


def _available(name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "index", "versions", name],
        capture_output=True,
        text=True,
        check=True,
    )
    listed = AVAILABLE.search(done.stdout)
    return listed[1].split(", ") if listed else []


def _try(name: str, version: Version) -> str | None:
    """Install and test one version; returns the last line of what failed."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        for command in (
            [*pip, "--editable", f"{ROOT}[dev]"],
            [*pip, "--no-deps", f"{name}=={version}"],
            [python, "-m", "pytest", "-q", "-x", "-n", "2", *TESTS],
        ):
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if done.returncode:
                return ((done.stdout + done.stderr).strip().splitlines() or ["no output"])[-1]
    return None


if __name__ == "__main__":
    sys.exit(main())
