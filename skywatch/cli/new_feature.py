"""``skywatch new-feature NAME``: a development tool, which works in a checkout only."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from skywatch.core.terminal.command import fail

ROOT = Path(__file__).resolve().parents[2]


@click.command("new-feature")
@click.argument("name")
@click.option(
    "--with",
    "parts",
    default="",
    metavar="PART,...",
    help="What the feature has besides the smallest slice: topic, member, setting, manual.",
)
@click.option("--remove", "is_removal", is_flag=True, help="Remove the feature that this command wrote.")
@click.option("--force", is_flag=True, help="Go on although changes are not committed.")
def new_feature(name: str, parts: str, is_removal: bool, force: bool) -> None:
    """Write the smallest working slice of a new feature: server file, declaration, migration, page and test."""
    if not (ROOT / "tools" / "new_feature").is_dir():
        fail("new-feature writes into a checkout of Skywatch, and this is an installed package: run it in a git clone")
    sys.path.insert(0, str(ROOT))
    command = importlib.import_module("tools.new_feature.command")
    files = importlib.import_module("tools.new_feature.files")
    names = importlib.import_module("tools.new_feature.names")
    chosen = [part.strip() for part in parts.split(",") if part.strip()]
    for part in chosen:
        if part not in files.PARTS:
            fail(f"--with {part}: a feature has no such part; there are {', '.join(files.PARTS)}")
    if chosen and is_removal:
        fail("--with goes with a new feature; --remove removes whatever was written")
    try:
        if is_removal:
            lines = command.remove(ROOT, name, force=force)
        else:
            lines = command.add(ROOT, name, chosen, force=force)
    except names.Refusal as refusal:
        fail(refusal)
    click.echo("\n".join(lines))
