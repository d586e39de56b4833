"""What a service's memory is made of: libraries, its own modules, the application, its first minute.

Programs for a new interpreter each. ``MODULES`` prints which modules a service of some roles has imported once it
runs, ``FLOOR`` imports the libraries among them and nothing else, ``STAGES`` runs a service and prints its memory at
each step.
"""

from __future__ import annotations

_RESIDENT = """
import ctypes, gc, json, os, sys, threading, time
def resident():
    kept = {}
    for line in open("/proc/self/smaps_rollup"):
        name, _, value = line.partition(":")
        if name in ("Rss", "Anonymous"):
            kept[name] = int(value.split()[0]) * 1024 / 1e6
    return kept["Rss"], kept["Anonymous"]
def trimmed():
    ctypes.CDLL(None).malloc_trim(0)
    return resident()
"""
_SERVE = """
from skywatch.serving import process
from skywatch.cli import main
sys.argv = ["skywatch", "serve", sys.argv[1], *sys.argv[2:]]
"""
MODULES = f"""{_RESIDENT}
{_SERVE}
def wait(server):
    print(json.dumps([name for name, module in list(sys.modules.items()) if module is not None]))
    sys.stdout.flush()
    os._exit(0)
process._wait = wait
main()
"""
FLOOR = f"""{_RESIDENT}
import importlib
gc.disable()
names = json.load(sys.stdin)
before, spent = resident(), {{}}
spent["Python itself"] = before
for name in names:
    if name.partition(".")[0] in ("skywatch", "__main__", "__mp_main__") or name in sys.modules:
        continue
    try:
        importlib.import_module(name)
    except ImportError:
        continue  # A module that its library makes.
    now = resident()
    package = name.partition(".")[0]
    had = spent.get(package, (0.0, 0.0))
    spent[package] = had[0] + now[0] - before[0], had[1] + now[1] - before[1]
    before = now
print(json.dumps([spent, trimmed()]))
"""
STAGES = f"""{_RESIDENT}
after_s = float(sys.argv.pop())
stages = []
{_SERVE}
def made():
    stages.append(("application and services made, before they run", resident()))
    gc.freeze()
process.exempt_from_garbage_collection = made
def wait(server):
    time.sleep(after_s)
    stages.append((f"after {{after_s:g}} s", resident()))
    stages.append(("of it not free within the heaps", trimmed()))
    print(json.dumps(stages))
    sys.stdout.flush()
    os._exit(0)
process._wait = wait
main()
"""
