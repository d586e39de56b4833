"""Whether tree, version, changelog, schema and tags agree. A check returns the sentences of what does not."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from alembic.script import Script, ScriptDirectory

from release import migrations, notes, promise
from release.record import Release, ReleaseError, numbers, read, tag_of, version_of
from release.source import commit_of, git, is_checkout
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import configuration

PICTURES = "docs/pictures"
MAX_PICTURE_AGE_S = 14 * 86_400
# Picture -> the code of what it shows. The picture of tar1090 shows a program of others.
SHOWN = {
    **dict.fromkeys(("map", "selection", "history", "statistics", "phone"), ("web/src",)),
    "console": ("skywatch/console",),
    "radar": ("skywatch/cli/radar",),
}


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """Whether ``newer`` contains ``older``."""
    command = ["git", "merge-base", "--is-ancestor", older, newer]
    return subprocess.run(command, cwd=root, capture_output=True, check=False).returncode == 0


def schema_revisions() -> list[str]:
    """The revisions of the schema, newest first; raises ReleaseError where migrations branch."""
    scripts = ScriptDirectory.from_config(configuration())
    heads = scripts.get_heads()
    if len(heads) != 1:
        raise ReleaseError(f"the migrations have {len(heads)} heads: {', '.join(heads)}")
    return [script.revision for script in scripts.walk_revisions()]


def pending(root: Path) -> Release | None:
    """The release that is recorded in the last commit and has no tag yet: an earlier run ended before the tag."""
    releases = read(root)
    if not releases or releases[-1].version != version_of(root) or commit_of(root, releases[-1].tag):
        return None
    return releases[-1] if commit_of(root, "HEAD^") == releases[-1].commit else None


def check_tree(root: Path) -> Iterable[str]:
    """Nothing is changed or lies about."""
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        yield f"the tree is not clean: {len(changed)} files differ from the last commit, such as {changed[0][3:]}"


def check_version(root: Path) -> Iterable[str]:
    """The version comes after the released ones and has no tag."""
    version = version_of(root)
    releases = read(root)
    if releases and not pending(root) and numbers(version) <= numbers(releases[-1].version):
        yield f"setup.py names version {version}, which does not come after the released {releases[-1].version}"
    numbers(version)
    if commit_of(root, tag_of(version)):
        yield f"the tag {tag_of(version)} is there already"


def check_changelog(root: Path) -> Iterable[str]:
    """The changelog lists what is new, and nothing below this version yet."""
    version = version_of(root)
    if pending(root):
        if not notes.released(root, version):
            yield f"{notes.CHANGELOG} has no section for {version}, which RELEASES names"
        return
    if notes.released(root, version) is not None:
        yield f"{notes.CHANGELOG} has a section for {version} already, which RELEASES does not name"
    notes.notes(root)


def check_schema(root: Path) -> Iterable[str]:
    """Every released revision can be upgraded."""
    revisions = schema_revisions()
    for release in read(root):
        if release.revision not in revisions:
            yield f"the schema revision {release.revision} of {release.version} is not among the migrations"


def check_migrations(root: Path) -> Iterable[str]:
    """Every step of the schema leaves what the release before it uses."""
    return migrations.judge(_changes_of_migrations(), read(root))


@cache
def _changes_of_migrations() -> list[tuple[Script, list[str]]]:
    with tempfile.TemporaryDirectory(prefix="skywatch-schema-") as folder:
        engine = create_engine(f"sqlite:///{folder}/schema.sqlite")
        try:
            return migrations.changes_of(configuration(engine), engine)
        finally:
            engine.dispose()


def check_tags(root: Path) -> Iterable[str]:
    """Every released version has its tag, and the tag contains the commit that RELEASES names."""
    unfinished = pending(root)
    for release in read(root):
        if release == unfinished:
            continue
        tagged = commit_of(root, release.tag)
        if tagged is None:
            yield f"RELEASES names {release.version}, and the tag {release.tag} is missing (git fetch --tags)"
        elif not is_ancestor(root, release.commit, tagged):
            yield f"the tag {release.tag} does not contain the commit {release.commit[:12]} that RELEASES names"


def check_promise(root: Path) -> Iterable[str]:
    """What is promised still holds, and what was added is promised from now on."""
    path = root / promise.RECORDED
    recorded = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    now = promise.promises(promise.openapi_document())
    gone = promise.broken(recorded, now)
    if gone:
        yield f"{len(gone)} lines of {promise.RECORDED} do not hold any more, such as {gone[0]}"
    elif recorded != now:
        yield f"{promise.RECORDED} lacks what was added: run python -m release.promise --record"


def check_pictures(root: Path) -> Iterable[str]:
    """The manual's pictures are not much older than the pages that they show."""
    for path in sorted((root / PICTURES).glob("*.webp")):
        for source in SHOWN.get(path.stem, ()):
            age_s = _changed_at(root, source) - _changed_at(root, str(path.relative_to(root)))
            if age_s > MAX_PICTURE_AGE_S:
                yield f"{PICTURES}/{path.name} is {age_s // 86_400} days older than {source}: run make pictures"


def _changed_at(root: Path, path: str) -> int:
    """When a commit last changed a path, in seconds since 1970; 0 where none did."""
    return int(git(root, "log", "-1", "--format=%ct", "--", path) or 0)


CHECKS: dict[str, Callable[[Path], Iterable[str]]] = {
    "tree": check_tree,
    "version": check_version,
    "changelog": check_changelog,
    "schema": check_schema,
    "migrations": check_migrations,
    "tags": check_tags,
    "promise": check_promise,
    "pictures": check_pictures,
}


# Those that need no history.
CHECKS_OF_ARCHIVE = ("schema", "migrations", "promise")


def problems(root: Path) -> list[str]:
    """What keeps the tree from being released, each as ``check: sentence``."""
    found = []
    for name, check in CHECKS.items():
        if not is_checkout(root) and name not in CHECKS_OF_ARCHIVE:
            continue
        try:
            found += [f"{name}: {sentence}" for sentence in check(root)]
        except ReleaseError as error:
            found.append(f"{name}: {error}")
    return found
