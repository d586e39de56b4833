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
@click.option("--remove", "is_removal", is_flag=True, help="Remove the feature that this command wrote.")
@click.option("--force", is_flag=True, help="Go on although changes are not committed.")
def new_feature(name: str, is_removal: bool, force: bool) -> None:
    """Write the folders, lists, migration, tests and manual page of a new feature."""
    if not (ROOT / "tools" / "new_feature").is_dir():
        fail("new-feature writes into a checkout of Skywatch, and this is an installed package: run it in a git clone")
    sys.path.insert(0, str(ROOT))
    command = importlib.import_module("tools.new_feature.command")
    names = importlib.import_module("tools.new_feature.names")
    try:
        lines = (command.remove if is_removal else command.add)(ROOT, name, force=force)
    except names.Refusal as refusal:
        fail(refusal)
    click.echo("\n".join(lines))
