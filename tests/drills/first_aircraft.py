"""Starts Skywatch on an empty Debian as README says, and measures the time to the first aircraft: a clone, a wheel.

``python -m tests.drills.first_aircraft [--way checkout] [--suite bookworm] [--mirror URL] [--folder FOLDER] [--test]``
needs root, debootstrap and packages. `make run` is run in a clone of this checkout, until aircraft are answered and the
map is built; ``--test`` runs `make test` after it. A wheel of the clone is run by pipx and by uvx on another empty
Debian. Times begin with what README says to type, after Python, make, git or pipx are there. The other ways in have
drills of their own, which print the same time: deb, deployment, image, home-assistant and cluster.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.drills.debian import Debian, Failed
from tests.drills.deployment import SOURCE, fetch_source
from tests.ports import free_port

# Package, and what asks the service from outside.
BEFORE = {"checkout": "python3 python3-venv make git curl", "wheel": "pipx curl"}
WITH_UV = "pipx install uv\nPATH=/root/.local/bin:$PATH\n"
# The network is that of this machine, for packages: another service may have the usual ports.
START = """
export LISTEN=127.0.0.1:{port} REALTIME_LISTEN=127.0.0.1:{realtime_port}
ask() {{ curl --silent --fail "http://$LISTEN$1"; }}
wait_for() {{
    until ask "$1" | grep --quiet "$2"; do
        kill -0 $! || {{ cat /root/run.log; exit 1; }}
        test $SECONDS -lt 1800 || {{ cat /root/run.log; exit 1; }}
        sleep 0.2
    done
}}
SECONDS=0
{command} >/root/run.log 2>&1 &
wait_for /api/v1/aircraft '"hex"'
echo "== {way}: the first aircraft after $SECONDS s"
wait_for / '<sw-app'
echo "== {way}: the map after $SECONDS s"
kill $!
wait $! || true
"""
COMMANDS = {
    "checkout": "make run",
    "pipx": "pipx run --spec ./skywatch-*.whl skywatch demo",
    "uvx": "uvx --from ./skywatch-*.whl skywatch demo",
}


def main() -> int:
    """Walk; 0 where aircraft were shown each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--way", choices=[*COMMANDS], action="append", help="only this one")
    parser.add_argument("--wheel", type=Path, help="of Skywatch; one is built in the clone if not given")
    parser.add_argument("--test", action="store_true", help="run `make test` in the clone")
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("needs root and debootstrap", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        try:
            _walk(options.folder or Path(temporary), options)
        except (Failed, subprocess.CalledProcessError) as failure:
            print(f"\nfirst aircraft: FAILED: {failure}", file=sys.stderr)
            return 1
    print("\nfirst aircraft: every step worked")
    return 0


def _walk(folder: Path, options: argparse.Namespace) -> None:
    ways, wheel = options.way or [*COMMANDS], options.wheel
    if "checkout" in ways or options.test or wheel is None:
        clone = _empty(folder, "checkout", options)
        source = clone.root / SOURCE
        fetch_source(source)
        if "checkout" in ways:
            clone.run(_script("checkout"), "", network=True, folder=f"/{SOURCE}")
        if options.test:
            clone.run("make test", "", network=True, folder=f"/{SOURCE}")
        if wheel is None and ways != ["checkout"]:
            clone.run("make wheel", "", network=True, folder=f"/{SOURCE}")
            wheel = next((source / "dist").glob("skywatch-*.whl"))
    if wheel is not None:
        fresh = _empty(folder, "wheel", options)
        shutil.copy(wheel, fresh.root / "root")
        for way in ways:
            if way != "checkout":
                fresh.run((WITH_UV if way == "uvx" else "") + _script(way), "", network=True)


def _empty(folder: Path, way: str, options: argparse.Namespace) -> Debian:
    """The smallest Debian, with what README asks for."""
    debian = Debian(folder / f"{options.suite}-{way}", options.suite, options.mirror, minimal=True)
    debian.make()
    packages = f"{BEFORE[way]} ca-certificates procps"
    install = f"apt-get update -qq\napt-get install -yqq --no-install-recommends {packages}"
    debian.run(install, "", network=True)
    return debian


def _script(way: str) -> str:
    return START.format(way=way, command=COMMANDS[way], port=free_port(), realtime_port=free_port())


if __name__ == "__main__":
    sys.exit(main())
