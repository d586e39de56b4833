"""``python -m tests.drills.stranger``: runs `make test` as a stranger would, in a clone of this checkout.

The stranger is a user without privileges and with an empty home, whose path has Python, make, git and the basic tools
of a Unix alone. Servers of this machine answer on their ports although their programs are not on the path, as where
they run in containers; with ``--cut`` nothing answers (that needs root). Exits with what `make test` gave.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Beside these the path has what Debian's coreutils bring.
PROGRAMS = ("make", "git", "sh", "bash", "grep", "sed", "find", "xargs", "tar", "gzip", "uname", "getconf", "ldd")
# A package index of the tester's own.
KEPT = ("PIP_", "UV_", "SSL_CERT", "REQUESTS_CA", "npm_config_")
NOBODY = 65534


def main() -> int:
    """Clone, and test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cut", action="store_true", help="in a network of its own, where no server answers")
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python that the path has")
    options = parser.parse_args()
    is_root = os.geteuid() == 0
    if options.cut and not is_root:
        parser.error("--cut needs root")
    with tempfile.TemporaryDirectory(prefix="stranger-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        tree, programs = home / "skywatch", home / "bin"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tree)], check=True)
        link_programs(programs, options.python)
        environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        environment |= {"HOME": folder, "PATH": str(programs), "LANG": "C.UTF-8"}
        as_stranger: dict[str, object] = {"cwd": tree, "env": environment}
        if is_root:
            as_stranger |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            for path in (home, *home.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        began = time.monotonic()
        # Packages come over the network.
        subprocess.run(["make", ".venv/.tests"], check=True, **as_stranger)  # type: ignore[call-overload]
        command = ["make", "test"]
        if options.cut:
            command = ["/usr/bin/unshare", "--net", "--map-current-user", *command]
        code = subprocess.run(command, check=False, **as_stranger).returncode  # type: ignore[call-overload]
        print(f"make test as a stranger took {time.monotonic() - began:.0f} s", flush=True)
        return int(code)


def link_programs(folder: Path, python: str) -> None:
    """A folder with links to the programs that a stranger has."""
    folder.mkdir()
    names = list(PROGRAMS)
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        listed = subprocess.run(["dpkg", "--listfiles", "coreutils"], check=True, capture_output=True, text=True).stdout
        names += [path.rpartition("/")[2] for path in listed.split() if "/bin/" in path]
    for name in dict.fromkeys(names):
        if found := shutil.which(name):
            (folder / name).symlink_to(os.path.realpath(found))
    (folder / "python3").symlink_to(python)


if __name__ == "__main__":
    sys.exit(main())
