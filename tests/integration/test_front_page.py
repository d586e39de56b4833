"""The lines of the manual's pages for each reader work, one page after the other."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.servers import postgresql_database, redis_prefix
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.nightly("short form of a drill")

BLOCK = re.compile(r"^```bash\n(.*?)^```", re.M | re.S)
# What the checkout of the test has already.
SET_UP = (
    "python3 deploy/environment.py\n",
    "python3 deploy/environment.py --extras postgresql,redis\n",
    "make web\n",
    'PATH="$PWD/.venv/bin:$PATH"\n',
)
# In the order in which the pages say that they go on; an enterprise begins anew.
PAGES = ("household", "club", "integrator", "enterprise")
BEGINS_ANEW = "enterprise"


def script(database, bus, port):
    """The lines as one script with this test's port, servers and a simulated receiver; a mark before each page."""
    blocks = {name: BLOCK.findall((ROOT / "docs" / f"for-{name}.md").read_text(encoding="utf-8")) for name in PAGES}
    blocks[BEGINS_ANEW] = ["kill $! && wait\n" + blocks[BEGINS_ANEW][0]]
    marked = (f"printf '\\n== {name}\\n'\n{lines}" for name, [lines] in blocks.items())
    text = "".join(marked) + "kill $(jobs -p); wait\n"
    own = {
        "beast localhost:30005": "simulate aircraft=20",
        "beast 192.168.1.20:30005": "simulate aircraft=20 seed=8",
        "postgresql+psycopg://skywatch:password@localhost/skywatch": f"'{database}'",
        "redis://localhost:6379/0": f"'{bus}'",
        **dict.fromkeys(SET_UP, ""),
    }
    for written, here in own.items():
        assert written in text, written
        text = text.replace(written, here)
    return text.replace("6543", port)


@pytest.fixture
def environment(tmp_path):
    own = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{ENVIRONMENT['PATH']}",
        "REALTIME_LISTEN": f"127.0.0.1:{free_port()}",
    }
    return {**ENVIRONMENT, **own}


def test_the_lines_of_every_page_work(tmp_path, environment):
    port = str(free_port())
    (tmp_path / "production.ini").write_text((ROOT / "production.ini").read_text().replace("6543", port))
    with postgresql_database() as database, redis_prefix() as bus:
        process = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail", "-c", script(database, bus, port)],
            cwd=tmp_path, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=6 * PATIENCE_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, output
    parts = dict(zip(PAGES, re.split(r"^== \w+$", output, flags=re.M)[1:], strict=True))
    assert '"status"' in parts["household"]
    assert re.search(r"^401$", parts["club"], re.M), parts["club"]
    assert "receiver.hill" in parts["club"]
    assert '"aircraft"' in parts["integrator"]
    assert '"status"' in parts["enterprise"]
    assert json.loads((tmp_path / "openapi.json").read_text())["openapi"].startswith("3.")
