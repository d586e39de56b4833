"""What a process imports at its start: an API process of its own nothing that the tracker detects with, a household's
process (all roles) no library that it may never use."""

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
from skywatch.serving import process
from skywatch.serving.roles import create_services
roles = sys.argv[2].split()
assert bool(create_services(runtime, roles)) == (roles != ["api"])
print(json.dumps(sorted(name for name, module in sys.modules.items() if module is not None)))
server.close()
runtime.close()
"""
# The packages and modules that only the tracker or the real-time server need.
FORBIDDEN = (
    "skywatch.cannonball.tracker",
    "skywatch.cannonball.monitor",
    "skywatch.history.recorder",
    "skywatch.history.monitor",
    "skywatch.system.monitor",
    "skywatch.patterns.fleet",
    "skywatch.patterns.tracker",
    "skywatch.picture.tracker",
    "skywatch.picture.merging.merge",
    "skywatch.receivers.mode_s",
    "skywatch.receivers.factory",
    "skywatch.realtime.server",
    "skywatch.realtime.subscribers.hub",
)
# Each is imported where it is first used: with a channel, a provider, a geofence, an export, another database or bus.
UNUSED_LIBRARIES = {
    "aiomqtt", "alembic", "apprise", "authlib", "duckdb", "httpcore", "httpx", "jinja2", "joserfc", "mako", "multipart",
    "nats", "paho", "pyarrow", "pygments", "pyramid_jinja2", "re2", "redis", "rich", "shapely", "soundfile",
    "websockets", "zstandard",
}  # fmt: skip
# The client of Redis imports the first two by itself.
UNUSED_ON_SQLITE = {"cryptography", "jwt", "psycopg"}
# Parts of libraries, the same: masked arrays, another database.
UNUSED_PARTS = {"numpy.ma", "sqlalchemy.dialects.postgresql"}


def modules_of(roles, **settings):
    """The modules that a process with these roles has imported before it runs."""
    ini = {"secret": "x" * 40, "listen": "127.0.0.1:0", **settings}
    command = [sys.executable, "-W", "ignore", "-c", CODE, json.dumps(ini), roles]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def libraries(modules):
    return {name.partition(".")[0] for name in modules}


def test_a_household_imports_no_library_that_it_may_never_use(sqlite_url):
    loaded = modules_of("api tracker realtime worker", database_url=sqlite_url, bus="memory")
    assert {"numpy", "sqlalchemy", "autobahn", "pyramid"} <= libraries(loaded)
    assert libraries(loaded) & (UNUSED_LIBRARIES | UNUSED_ON_SQLITE) == set()
    assert UNUSED_PARTS.isdisjoint(loaded)


def test_an_api_process_loads_no_detector(sqlite_url, redis_url):
    loaded = modules_of("api", database_url=sqlite_url, bus=redis_url)
    assert "skywatch.cannonball.sessions.views" in loaded
    assert not [name for name in loaded if name.startswith(FORBIDDEN)]
    assert libraries(loaded) & UNUSED_LIBRARIES == {"redis"}


def test_the_command_line_loads_no_web_server_and_no_database():
    names = ("pyramid", "sqlalchemy", "numpy", "httpx")
    code = f"import sys, skywatch.cli; print([name for name in {names} if name in sys.modules])"
    output = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"
