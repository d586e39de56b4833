"""``python -m release [--dry-run]``: check, record, build and tag the version that ``setup.py`` names.

The dry run checks and builds, and changes neither the tree nor the repository. A release that ended before its tag is
continued by the next run. Of the sources of an archive, which have no history, the same files are built, and nothing is
recorded or tagged.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from release import notes
from release.build import Build, build
from release.checks import pending, problems, schema_revisions
from release.record import FILE, Release, ReleaseError, tag_of, version_of
from release.source import commit_and_time, git, is_checkout

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release", description="Check, build and tag a release.")
    parser.add_argument("--dry-run", action="store_true", help="change nothing and create no tag")
    options = parser.parse_args(arguments)
    dry_run = options.dry_run
    if not is_checkout(ROOT):
        dry_run = True
        print("No .git here, so the history is not checked, and nothing is recorded or tagged.", flush=True)
    found = problems(ROOT)
    if found:
        print("This tree cannot be released:", *(f"  {problem}" for problem in found), sep="\n", file=sys.stderr)
        return 1
    try:
        files = release(ROOT, dry_run=dry_run)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    version = version_of(ROOT)
    print(*(f"  {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)" for path in files), sep="\n")
    print(f"No tag {tag_of(version)}." if dry_run else f"Tagged {tag_of(version)}; push it with the branch.")
    return 0


def release(root: Path, *, dry_run: bool, builder: Callable[[Build], list[Path]] = build) -> list[Path]:
    """Record, build and tag; returns the files. Raises ReleaseError."""
    version = version_of(root)
    is_recorded = pending(root) if is_checkout(root) else notes.released(root, version)
    new = notes.released(root, version) if is_recorded else notes.notes(root)
    if not dry_run and not is_recorded:
        record(root, version)
    commit, _ = commit_and_time(root)
    files = builder(Build(root, version, commit, new or ""))
    if not dry_run:
        changed = git(root, "status", "--porcelain")
        if changed:
            raise ReleaseError(f"the build changed the tree: {changed.splitlines()[0]}")
        git(root, "tag", "--annotate", tag_of(version), "--message", f"Skywatch {version}")
    return files


def record(root: Path, version: str) -> None:
    """Commit the changelog's new section and the line of ``RELEASES``, which names the commit before."""
    line = Release(version, git(root, "rev-parse", "HEAD"), schema_revisions()[0])
    notes.record(root, version, datetime.now(UTC).date().isoformat())
    with (root / FILE).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    git(root, "add", "--all", FILE, notes.CHANGELOG, notes.FRAGMENTS)
    git(root, "commit", "--quiet", "--message", f"Release {version}")


if __name__ == "__main__":
    sys.exit(main())
