"""``pserve FILE.ini`` as Pyramid's people start it: a fresh folder, and everything runs."""

from __future__ import annotations

import json
import os
import signal
import urllib.error
import urllib.request

from tests import prefork
from tests.conftest import ROOT
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.waiting import PATIENCE_S, until


def fetch(address):
    try:
        return json.load(urllib.request.urlopen(address, timeout=PATIENCE_S))
    except urllib.error.HTTPError as error:
        return json.load(error)
    except OSError:
        return {}


def test_pserve_runs_every_role_in_a_fresh_folder(tmp_path):
    port = free_port()
    lines = f"listen = 127.0.0.1:{port}\nrealtime_listen = 127.0.0.1:{free_port()}"
    text = (ROOT / "development.ini").read_text().replace("listen = 127.0.0.1:6543", lines)
    ini = tmp_path / "development.ini"
    ini.write_text(text)
    with open(os.devnull, "rb") as nothing, open(tmp_path / "log", "wb") as log:
        process = prefork.start([str(ini)], ENVIRONMENT, [nothing, log, log], "pyramid.scripts.pserve")
    base = f"http://127.0.0.1:{port}/api/v1"
    try:
        until(lambda: fetch(f"{base}/aircraft").get("aircraft"), "simulated aircraft are in the sky")
        # What checks find of a busy first second passes.
        until(lambda: fetch(f"{base}/system/health").get("status") == "ok", "every part is well")
        assert (tmp_path / "var" / "skywatch.sqlite").exists()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
    log = (tmp_path / "log").read_text()
    assert "Skywatch is running (api, tracker, realtime, worker)." in log
    assert "Traceback" not in log
    # The one-time password is for terminals.
    assert "one-time password" not in log
    assert "token=" not in log
