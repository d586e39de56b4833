"""The ``skywatch`` command: one file a subcommand; whatever is wrong is one line on stderr and exit code 1."""

from __future__ import annotations

import importlib
from typing import Any

import click

from skywatch.core.version import VERSION

# Subcommand -> module of this package that defines a click command of the same name (dashes become underscores).
COMMANDS = (
    "init",
    "settings",
    "serve",
    "decode",
    "airframes",
    "known-aircraft",
    "patterns",
    "history",
    "oidc",
    "user",
    "radar",
)


class LazyGroup(click.Group):
    """Imports a subcommand only when it is used, so that ``skywatch decode`` does not load a web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module_name = name.replace("-", "_")
        module = importlib.import_module(f"skywatch.cli.{module_name}")
        command: click.Command = getattr(module, module_name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="skywatch")
def group() -> None:
    """Skywatch: a self-hosted, real-time aircraft tracking service."""


def main(arguments: list[str] | None = None) -> Any:
    """Entry point of the console script."""
    return group.main(args=arguments, prog_name="skywatch")
