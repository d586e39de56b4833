"""The unit tests that a change can touch, nearest first, as many as fit into the fast lane.

``python -m tests.lanes.affected [--since REVISION] [--seconds 40]`` prints arguments for pytest, one a line. A changed
module can touch the tests that import it, directly or through others; the distance is the number of imports between.
Modules imported by name (``module:attribute``) are followed where a ``feature.py`` names them, fixtures are not.
Changed test files come first. What does not fit is counted on the error stream: ``make test`` runs them all.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping

import grimp

from tests.lanes.costs import ROOT, stored

UNIT = "tests/unit/"
# Tests that have never been measured take about this long.
UNKNOWN_S = 0.1
NAMED = re.compile(r"skywatch(?:\.\w+)+(?=:\w+$)")


def changed_files(since: str) -> list[str]:
    """Paths of the files that differ from ``since``, and the new ones that git does not ignore."""
    commands = (["git", "diff", "--name-only", since], ["git", "ls-files", "--others", "--exclude-standard"])
    return [
        line
        for command in commands
        for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    ]


def module_of(path: str) -> str:
    """``skywatch/core/database/engine.py`` -> ``skywatch.core.database.engine``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(source: str) -> set[str]:
    """Modules that a file imports, and those it names as ``module:attribute``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (named := NAMED.match(node.value)):
            names.add(named[0])
    return names


def distances(importers: Mapping[str, Iterable[str]], changed: Iterable[str]) -> dict[str, int]:
    """Module -> imports between it and the nearest changed module (0: changed itself)."""
    found = dict.fromkeys(changed, 0)
    front = list(found)
    while front:
        following = []
        for module in front:
            for importer in importers.get(module, ()):
                if importer not in found:
                    found[importer] = found[module] + 1
                    following.append(importer)
        front = following
    return found


def importers_of_skywatch() -> dict[str, set[str]]:
    """Module -> the modules that import it."""
    graph = grimp.build_graph("skywatch", cache_dir=str(ROOT / ".import_linter_cache"))
    importers = {module: set(graph.find_modules_that_directly_import(module)) for module in graph.modules}
    # Declarations name modules as text, and helpers of the tests import what they help with.
    for path in (*ROOT.glob("skywatch/*/feature.py"), *ROOT.glob("tests/*.py")):
        for named in imports_of(path.read_text(encoding="utf-8")):
            importers.setdefault(named, set()).add(module_of(str(path.relative_to(ROOT))))
    return importers


def chosen(near: Mapping[str, int], durations: Mapping[str, float], seconds: float) -> list[str]:
    """The nearest test files whose durations fit into ``seconds``; the nearest of all in any case."""
    by_file: dict[str, float] = defaultdict(float)
    for test, duration in durations.items():
        by_file[test.partition("::")[0]] += duration
    files: list[str] = []
    left = seconds
    for path in sorted(near, key=lambda path: (near[path], path)):
        left -= by_file.get(path, UNKNOWN_S)
        if files and left < 0:
            break
        files.append(path)
    return files


def main() -> int:
    """Print the arguments for pytest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--since", default="HEAD", help="compare with this revision (default: the last commit)")
    parser.add_argument(
        "--seconds", type=float, default=40.0, help="what the tests may take together, on one processor"
    )
    options = parser.parse_args()
    changed = changed_files(options.since)
    near = distances(
        importers_of_skywatch(),
        {module_of(p) for p in changed if p.startswith(("skywatch/", "tests/")) and p.endswith(".py")},
    )
    tests = {path: 0 for path in changed if path.startswith(UNIT) and path.endswith(".py") and (ROOT / path).exists()}
    for path in (str(file.relative_to(ROOT)) for file in (ROOT / UNIT).rglob("test_*.py")):
        reached = [near[name] + 1 for name in imports_of((ROOT / path).read_text(encoding="utf-8")) if name in near]
        if reached:
            tests.setdefault(path, min(reached))
    cores = os.cpu_count() or 1
    files = chosen(tests, stored(), options.seconds * cores)
    print("\n".join(files))
    print(f"{len(files)} of {len(tests)} test files that the change can touch", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
