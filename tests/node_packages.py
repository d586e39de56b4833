"""Packages for node that tests talk to, installed once and shared by all test processes."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

from tests.servers import skip_or_fail

INSTALL_S = 300


def installed(package: str, folder: Path) -> Path:
    """The folder with packages (``name@version``, blanks between) in its ``node_modules``, installed at first use.

    Skips the test where there is no node, npm or package registry.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip_or_fail("node and npm are not here")
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "installed"
    with (folder / "lock").open("w") as lock:
        # The test processes come here at the same time, and none may go on with half a package.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.is_file() or done.read_text() != package:
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", *package.split()]
            said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            if said.returncode:
                skip_or_fail(f"npm cannot install {package}: {said.stderr.strip()[-300:]}")
            done.write_text(package)
    return folder
