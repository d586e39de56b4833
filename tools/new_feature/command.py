"""Adds and removes features; every fault is a Refusal, and leaves the checkout as it was."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tools.new_feature import checkout, files
from tools.new_feature.edits import apply, edits, written
from tools.new_feature.names import Refusal, check_form, check_free, words


def add(root: Path, name: str, parts: Collection[str] = (), *, force: bool = False) -> list[str]:
    """Write a feature with these parts into the checkout and return the lines to show; raises Refusal."""
    check_form(name)
    checkout.check_tools()
    check_free(name, root)
    if not force:
        checkout.check_clean(root)
    revision, newest = files.revisions(root)
    own = {**words(name), "revision": revision, "down_revision": newest}
    texts, lines = files.contents(own, parts), edits(own, root, parts)
    files.write(root, texts)
    try:
        apply(root, lines)
    except Refusal:
        files.delete(root, [*files.folders(name), *texts])
        raise
    try:
        checkout.tidy(root, list(texts))
        checkout.generate(root)
    except Refusal:
        remove(root, name, force=True)
        raise
    return [
        f"Wrote {len(texts)} files and the lines of {name} in {len({line.file for line in lines})} others.",
        "Next: make quick; the manual's page docs/new-feature.md says what each file is for.",
        f"`skywatch new-feature --remove {name}` removes all of it.",
    ]


def remove(root: Path, name: str, *, force: bool = False) -> list[str]:
    """Remove a feature that ``add`` wrote; the lines to show. Raises Refusal."""
    check_form(name)
    checkout.check_tools()
    own = words(name)
    lines, places = written(own, root), files.places(root, own)
    if not force:
        its = [*places, *checkout.GENERATED, *(Path(line.file) for line in lines)]
        checkout.check_clean(root, except_for=its)
    apply(root, lines, undo=True)
    files.delete(root, places)
    checkout.generate(root)
    return [
        f"Removed {name}: its folders, its files and its lines in {len({line.file for line in lines})} others.",
        "A database that `skywatch init` upgraded with it has its table still: restore the backup made before.",
    ]
