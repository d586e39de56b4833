"""Installs packages into the checkout's own ``.venv``: ``python3 deploy/environment.py [--extras A,B] [NAME ...]``.

Without names it installs Skywatch itself, editable, with these extras; with names only those packages. uv does it: the
one on the path, else its own from the package index; where uv cannot be had or fails, pip does it, and a line says so.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = PROGRAMS / "python"
PIP_INSTALL = ("-m", "pip", "--no-input", "--disable-pip-version-check", "install")
# How uv reads what pip reads: option of pip, variable of pip, variable of uv.
PIP_OPTIONS = (
    ("index-url", "PIP_INDEX_URL", "UV_DEFAULT_INDEX"),
    ("extra-index-url", "PIP_EXTRA_INDEX_URL", "UV_INDEX"),
    ("find-links", "PIP_FIND_LINKS", "UV_FIND_LINKS"),
    ("cert", "PIP_CERT", "SSL_CERT_FILE"),
)
PYPI = "https://pypi.org/simple"
PAUSE_S = 0.2


class Failure(Exception):
    """A step that did not work; ``str()`` is for people."""


def main(arguments: list[str] | None = None) -> int:
    """Install what the command line names."""
    parser = argparse.ArgumentParser(description="Install packages into .venv.")
    parser.add_argument("--extras", default="", metavar="A,B", help="extras of Skywatch, such as dev,bench")
    parser.add_argument("--of", metavar="EXTRA", help="the packages of an extra alone, without Skywatch itself")
    parser.add_argument("names", nargs="*", metavar="NAME", help="packages, instead of Skywatch itself")
    options = parser.parse_args(arguments)
    try:
        install(
            requirements(options.extras, options.of, options.names),
            with_skywatch=not (options.of or options.names),
        )
    except Failure as failure:
        print(f"packages: {failure}", file=sys.stderr)
        return 1
    return 0


def requirements(extras: str, alone: str | None, names: list[str]) -> list[str]:
    """What to install, as the arguments of ``pip install``; pip itself stays available for extras of a person's own."""
    if alone:
        return [*names, *packages_of(alone)]
    return names or ["pip", "--editable", f".[{extras}]" if extras else "."]


def packages_of(extra: str) -> list[str]:
    """The packages of an extra that setup.py lists in its table; raises Failure."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXTRAS":
            table = ast.literal_eval(node.value)
            if extra in table:
                return list(table[extra])
    raise Failure(f"setup.py has no extra {extra} in its table EXTRAS")


def install(wanted: list[str], *, with_skywatch: bool = False) -> None:
    """Install with uv, else with pip; raises Failure."""
    make_environment()
    compiling = compile_sources() if with_skywatch else None
    try:
        uv = find_uv() or fetch_uv()
        run("Installing packages with uv", [uv, "pip", "install", "--python", str(PYTHON), *wanted], uv_environment())
    except Failure as failure:
        print(f"packages: pip instead of uv, which takes longer: {failure}", file=sys.stderr)
        command, environment = pip()
        run("Installing packages with pip", [*command, *wanted], environment)
    finally:
        if compiling is not None:
            compiling.wait()


def compile_sources() -> subprocess.Popen[bytes] | None:
    """Compile Skywatch itself while packages are fetched: the first start is two seconds faster; None if not wanted."""
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return None
    command = [str(PYTHON), "-m", "compileall", "-q", "skywatch", "alembic"]
    try:
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return None


def make_environment() -> None:
    """Create ``.venv`` with nothing in it, unless it is there; raises Failure."""
    if sys.version_info < (3, 11):
        raise Failure(f"Skywatch needs Python 3.11 or newer, this is {sys.version.split()[0]} (make PYTHON=python3.12)")
    if PYTHON.exists():
        return
    command = [sys.executable, "-m", "venv", "--without-pip", str(VENV)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Failure(f"python3 -m venv failed: {last_line(ended.stdout + ended.stderr)}")


def find_uv() -> str | None:
    """The program uv of the environment or on the path."""
    own = PROGRAMS / "uv"
    return str(own) if own.exists() else shutil.which("uv")


def fetch_uv() -> str:
    """Install uv from the package index into the environment; raises Failure."""
    command, environment = pip()
    run("Fetching uv", [*command, "--no-compile", "uv"], environment)
    uv = find_uv()
    if uv is None:
        raise Failure("the package uv has no program for this machine")
    return uv


def pip() -> tuple[list[str], dict[str, str]]:
    """The command ``pip install`` for the environment, and its variables; raises Failure.

    The pip that is in the environment, else the one that Python brings for new environments, used where it lies:
    installing it first takes two to three times as long as fetching uv.
    """
    command = [str(PYTHON), *PIP_INSTALL]
    probe = [str(PYTHON), "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"]
    if subprocess.run(probe, check=False).returncode == 0:
        return command, dict(os.environ)
    wheel = bundled_pip()
    if wheel is not None:
        return command, {**os.environ, "PYTHONPATH": str(wheel)}
    ended = subprocess.run([str(PYTHON), "-m", "ensurepip"], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Failure(f"Python has no pip: {last_line(ended.stdout + ended.stderr)} (Debian: apt install python3-venv)")
    return command, dict(os.environ)


def bundled_pip() -> Path | None:
    """The wheel of pip from which ``python3 -m venv`` installs it."""
    ensurepip = importlib.util.find_spec("ensurepip")
    folders = [sysconfig.get_config_var("WHEEL_PKG_DIR"), "/usr/share/python-wheels"]
    if ensurepip is not None and ensurepip.origin is not None:
        folders.insert(0, Path(ensurepip.origin).parent / "_bundled")
    wheels = [wheel for folder in folders if folder for wheel in sorted(Path(folder).glob("pip-*.whl"))]
    return wheels[0] if wheels else None


def uv_environment() -> dict[str, str]:
    """The variables for uv, which reads no settings of pip: the index and the certificates of this machine's pip."""
    environment = dict(os.environ)
    configured = pip_configuration()
    for option, variable, variable_of_uv in PIP_OPTIONS:
        value = os.environ.get(variable) or configured.get(option)
        if value and not environment.get(variable_of_uv):
            separator = "," if option == "find-links" else " "
            environment[variable_of_uv] = separator.join(value.split())
            if option == "extra-index-url":
                # A version that several indexes have is taken from the first of them, which may lack the file for this
                # machine: the main index comes first.
                main = environment.get("UV_DEFAULT_INDEX") or PYPI
                environment[variable_of_uv] = f"{main} {environment[variable_of_uv]}"
    # As pip does it: the newest of all indexes, not of the first that has the package.
    environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    return environment


def pip_configuration() -> dict[str, str]:
    """What pip's configuration files say, the later file before the earlier."""
    home = Path.home()
    files = [Path("/etc/pip.conf"), home / ".pip" / "pip.conf", home / ".config" / "pip" / "pip.conf"]
    if "PIP_CONFIG_FILE" in os.environ:
        files.append(Path(os.environ["PIP_CONFIG_FILE"]))
    reader = configparser.RawConfigParser(strict=False)
    try:
        reader.read(files, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return {}
    return {
        option: value
        for section in ("global", "install")
        if reader.has_section(section)
        for option, value in reader.items(section)
    }


def run(step: str, command: list[str], environment: dict[str, str]) -> None:
    """Run an installation with a line of its progress; raises Failure with the last line of its output."""
    started = time.monotonic()
    lines = [f"{step} ..."]
    done = threading.Event()
    print(lines[0], flush=True)
    ticker = threading.Thread(target=show_progress, args=(lines, started, done))
    ticker.start()
    try:
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
        with subprocess.Popen(command, cwd=ROOT, env={**environment, "NO_COLOR": "1"}, **output) as process:
            lines.extend(line.strip() for line in process.stdout if line.strip())
    except OSError as error:
        raise Failure(f"{step}: {error}") from None
    finally:
        done.set()
        ticker.join()
    if process.returncode:
        raise Failure(f"{step} failed: {failure_line(lines)}")
    print(f"{step}: done in {time.monotonic() - started:.1f} s.", flush=True)


def show_progress(lines: list[str], started: float, done: threading.Event) -> None:
    """Until ``done`` rewrite a line of the terminal with the seconds and what the installation does."""
    if not sys.stdout.isatty():
        return
    while not done.wait(PAUSE_S):
        width = shutil.get_terminal_size().columns - 1
        line = f"{time.monotonic() - started:4.0f} s  {lines[-1]}"
        sys.stdout.write(f"\r{line[:width]:<{width}}")
        sys.stdout.flush()
    sys.stdout.write("\r\x1b[K")
    sys.stdout.flush()


def failure_line(lines: list[str]) -> str:
    """The line that says why, of the output of pip or uv."""
    for line in reversed(lines):
        if line.lower().startswith("error"):
            return line
    return lines[-1]


def last_line(text: str) -> str:
    """The last line of the output of a command."""
    return (text.strip().splitlines() or ["no reason given"])[-1]


if __name__ == "__main__":
    sys.exit(main())
