"""Compiles all modules and tests once: the processes of pytest would do it side by side, each for itself.

``python -m tests.lanes.bytecode``. Tests are compiled with their assertions rewritten, as pytest imports them, but none
is imported: that takes as long as to compile all of them. What does not compile is left to pytest, which shows why.
"""

from __future__ import annotations

import compileall
import re
from collections.abc import Iterator
from pathlib import Path

from _pytest.assertion import rewrite

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("skywatch", "benchmarks", "tools", "tests")
# What pytest rewrites.
REWRITTEN = re.compile(r"(?:conftest|test_\w+)\.py$")


def main() -> None:
    """Compile what has changed."""
    for package in PACKAGES:
        compileall.compile_dir(ROOT / package, rx=re.compile(rf"/{REWRITTEN.pattern}"), quiet=2)
    for path in rewritten(ROOT / "tests"):
        compile_test(path)


def rewritten(folder: Path) -> Iterator[Path]:
    """Files of a folder that pytest rewrites."""
    return (path for path in sorted(folder.rglob("*.py")) if REWRITTEN.fullmatch(path.name))


def compile_test(path: Path) -> Path:
    """Compile a test unless its bytecode is of this very source; where the bytecode is."""
    cached = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(path, cached, lambda message: None) is None:
        try:
            source, code = rewrite._rewrite_test(path, None)  # type: ignore[arg-type]
        except (SyntaxError, UnicodeDecodeError):
            return cached
        cached.parent.mkdir(exist_ok=True)
        rewrite._write_pyc(None, code, source, cached)  # type: ignore[arg-type]
    return cached


if __name__ == "__main__":
    main()
