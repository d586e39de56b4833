"""Where the sources come from: a checkout, or an archive of one (`git archive`), which names its commit in a file."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

from release.record import COMMIT, ReleaseError

# Commit and its time; .gitattributes has them written by `git archive`.
COMMIT_FILE = Path("release", "commit.txt")


def git(root: Path, *arguments: str) -> str:
    """The output of a git command; raises ReleaseError with git's own sentence."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def commit_of(root: Path, name: str) -> str | None:
    """The commit of a tag or branch, or None where there is no such name."""
    try:
        return git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except ReleaseError:
        return None


def is_checkout(root: Path) -> bool:
    """Whether git has the history of this very folder, not of one around it."""
    return (root / ".git").exists()


def commit_and_time(root: Path) -> tuple[str, datetime]:
    """The commit of the sources, and when it was made; raises ReleaseError where nothing names it."""
    text = git(root, "show", "-s", "--format=%H %cI") if is_checkout(root) else (root / COMMIT_FILE).read_text()
    commit, _, at = text.strip().partition(" ")
    if not COMMIT.fullmatch(commit):
        raise ReleaseError(f"{COMMIT_FILE} names no commit: these sources are neither a checkout nor a `git archive`")
    return commit, datetime.fromisoformat(at).astimezone(UTC)
