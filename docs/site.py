"""Builds the manual as a site with a folder for each version: ``python docs/site.py [--to FOLDER] [--name VERSION]``.

The folder keeps the versions that are there already. ``versions.json`` lists them for the menu on each page, and
``index.html`` leads to the newest release. An older version is built again from its tag, into the same folder.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASED = re.compile(r"\d+\.\d+\.\d+")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
FRONT = """\
<!doctype html>
<meta charset="utf-8">
<title>Skywatch</title>
<meta http-equiv="refresh" content="0; url={version}/">
<a href="{version}/">Skywatch {version}</a>
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the manual as a site.")
    parser.add_argument("--to", type=Path, default=ROOT / "site", metavar="FOLDER")
    parser.add_argument("--name", default=version(), metavar="VERSION", help="default: the version of setup.py")
    options = parser.parse_args()
    if not NAME.fullmatch(options.name):
        parser.error(f"{options.name!r} cannot be the name of a folder")
    discard_unversioned(options.to)
    target = (options.to / options.name).resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)]
    # The theme would praise its successor at each build.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if built.returncode:
        return built.returncode
    names = write_index(options.to)
    print(f"{target} ({', '.join(names)})")
    return 0


def version() -> str:
    """The version that setup.py names."""
    for node in ast.walk(ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "version" and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    raise SystemExit("setup.py names no version")


def discard_unversioned(folder: Path) -> None:
    """Remove a site that was built without folders for versions, as `make docs` once did."""
    if (folder / "index.html").exists() and not (folder / "versions.json").exists():
        shutil.rmtree(folder)


def versions(folder: Path) -> list[str]:
    """The versions in the folder: others (such as ``main``) first, then releases, the newest first."""
    names = [path.parent.name for path in folder.glob("*/index.html")]
    releases = sorted(filter(RELEASED.fullmatch, names), key=lambda name: [*map(int, name.split("."))], reverse=True)
    return [*sorted(set(names) - set(releases)), *releases]


def write_index(folder: Path) -> list[str]:
    """Write the list of versions and the front page; returns the versions."""
    names = versions(folder)
    newest = next((name for name in names if RELEASED.fullmatch(name)), names[0])
    entries = [{"version": name, "title": name, "aliases": ["latest"] if name == newest else []} for name in names]
    (folder / "versions.json").write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(FRONT.format(version=newest), encoding="utf-8")
    return names


if __name__ == "__main__":
    sys.exit(main())
