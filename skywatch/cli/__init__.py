"""The ``skywatch`` command and the subcommands of no feature, one file each; an error is one line and exit code 1.

Not here: subcommands of features, which are their `command.py`.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

import click
from click.shell_completion import CompletionItem

from skywatch.core.feature import load
from skywatch.core.process.version import VERSION
from skywatch.features import FEATURES, load_origins
from skywatch.serving.memory import garbage_collection_paused

# The subcommands of no feature -> ``module:command``; features declare theirs.
NAMES = (
    "batch",
    "completion",
    "decode",
    "demo",
    "doctor",
    "init",
    "man",
    "mcp",
    "radar",
    "serve",
    "settings",
    "setup-link",
)
COMMANDS = {name: f"skywatch.cli.{module}:{module}" for name in NAMES for module in [name.replace("-", "_")]}
# Tools for people with a checkout: they work by their name, and no help, completion or manual page lists them.
DEVELOPMENT = {"new-feature": "skywatch.cli.new_feature:new_feature"}


class LazyGroup(click.Group):
    """Imports a subcommand only when it is used, so that ``skywatch decode`` does not load a web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *FEATURES.commands})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        path = COMMANDS.get(name) or FEATURES.commands.get(name) or DEVELOPMENT.get(name)
        if path is None:
            return None
        with garbage_collection_paused():
            command: click.Command = load(path)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Offer subcommands without their help, for which each would be imported; and the options."""
        names = [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "obj": load_origins})
@click.version_option(VERSION, prog_name="skywatch")
def group() -> None:
    """Skywatch: a self-hosted, real-time aircraft tracking service."""


def main(arguments: list[str] | None = None) -> Any:
    """Entry point of the console script."""
    if (sys.argv[1:] if arguments is None else arguments)[:1] == ["serve"]:
        # To end when asked is no fault of a service, also while its modules are imported.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _end)
    return group.main(args=arguments, prog_name="skywatch")


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
