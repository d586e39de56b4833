"""The lock file of a release: every package of an installation with its version and the hashes of its files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.record import ReleaseError

EXTRAS = "all"
PYTHON = "3.11"
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)")
HEADER = f"""\
# Every package that Skywatch with the extra "{EXTRAS}" needs, with the hashes of its files.
# pip install --require-hashes -r <this file>, then pip install --no-deps <the wheel>
"""


def compile_lock(root: Path, uv: str, environment: dict[str, str]) -> str:
    """The text of the lock file for Python 3.11 and newer on every system; raises ReleaseError."""
    command = [uv, "pip", "compile", "setup.py", "--extra", EXTRAS, "--universal", "--python-version", PYTHON]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"lock: {(done.stderr.strip().splitlines() or ['uv gave no reason'])[-1]}")
    return HEADER + done.stdout


def pins(text: str) -> dict[str, set[str]]:
    """Package -> its versions; one package may have several, for different versions of Python.

    Raises ReleaseError for a line without a version, and for a package without hashes.
    """
    found: dict[str, set[str]] = {}
    for entry in text.replace("\\\n", " ").splitlines():
        if not entry.strip() or entry.startswith("#"):
            continue
        matched = PINNED.match(entry)
        if matched is None:
            raise ReleaseError(f"lock: no version in {entry.strip()[:80]!r}")
        if "--hash=sha256:" not in entry:
            raise ReleaseError(f"lock: {matched['name']} has no hash")
        found.setdefault(canonicalize_name(matched["name"]), set()).add(matched["version"])
    return found


def check_lock(text: str, required: list[str]) -> None:
    """Raise ReleaseError unless the lock file has a fitting version of every requirement."""
    pinned = pins(text)
    for requirement in map(Requirement, required):
        versions = pinned.get(canonicalize_name(requirement.name), set())
        if not any(requirement.specifier.contains(version, prereleases=True) for version in versions):
            raise ReleaseError(f"lock: no version of {requirement.name} that setup.py accepts")
