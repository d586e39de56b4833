"""Runs every benchmark, or the ones named: ``python -m benchmarks [--short] [NAME ...]``.

``--short`` runs each over so little that it takes a second or two: whether it runs at all.
"""

from __future__ import annotations

import importlib
import pkgutil
import platform
import sys
import time
import traceback

import benchmarks
from benchmarks import _short


def names() -> list[str]:
    """The benchmarks there are."""
    found = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    return [name for name in found if not name.startswith("_") and name != "peers"]


def _run(name: str) -> None:
    importlib.import_module(f"benchmarks.{name}").main()


def _run_short(name: str) -> None:
    outcome = _short.run(name)
    print(outcome.output, end="", flush=True)
    if not outcome.is_complete:
        raise RuntimeError(f"the short form of {name} failed")


def main() -> int:
    """Run and print; 1 where a benchmark failed."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--short"]
    is_short, wanted = len(arguments) < len(sys.argv) - 1, arguments or names()
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {platform.machine()}, {time.strftime('%Y-%m-%d')}")
    failed = []
    for name in wanted:
        print(f"\n== {name} ==", flush=True)
        try:
            run = _run_short if is_short else _run
            run(name)
        except Exception:
            traceback.print_exc()
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
