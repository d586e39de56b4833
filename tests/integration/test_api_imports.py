"""An API process of its own (Redis as bus) loads nothing of what the tracker detects with, nor the channel's server."""

import json
import subprocess
import sys

CODE = """
import json, sys
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.serving.web_server.api_server import create_api_server
import skywatch.cli.serve

runtime = Runtime.open(load(json.loads(sys.argv[1]), {}))
server = create_api_server(runtime)
from skywatch.serving.roles import create_services
assert create_services(runtime, ("api",)) == []
print(json.dumps(sorted(name for name in sys.modules if name.startswith("skywatch."))))
server.close()
runtime.close()
"""
# The packages and modules that only the tracker or the real-time server need.
FORBIDDEN = (
    "skywatch.cannonball.tracking",
    "skywatch.cannonball.monitor",
    "skywatch.history.recording",
    "skywatch.history.monitor",
    "skywatch.system.monitor",
    "skywatch.patterns.fleet",
    "skywatch.patterns.tracker",
    "skywatch.picture.tracker",
    "skywatch.picture.receiving.merge",
    "skywatch.receivers.mode_s",
    "skywatch.receivers.factory",
    "skywatch.realtime.server",
    "skywatch.realtime.hub",
)


def test_an_api_process_loads_no_detector(sqlite_url, redis_url):
    ini = {"secret": "x" * 40, "database_url": sqlite_url, "bus": redis_url, "listen": "127.0.0.1:0"}
    command = [sys.executable, "-W", "ignore", "-c", CODE, json.dumps(ini)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    loaded = json.loads(output)
    assert "skywatch.cannonball.sessions.views" in loaded
    assert not [name for name in loaded if name.startswith(FORBIDDEN)]


def test_the_command_line_loads_no_web_server_and_no_database():
    names = ("pyramid", "sqlalchemy", "numpy", "httpx")
    code = f"import sys, skywatch.cli; print([name for name in {names} if name in sys.modules])"
    output = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"
