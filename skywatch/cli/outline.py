"""The commands of the parser with their options, as the manual page needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Option:
    """One option: how its help writes it, and its help."""

    form: str
    help: str


@dataclass(frozen=True)
class Entry:
    """One command; the path of ``skywatch user add`` is ``("user", "add")``."""

    path: tuple[str, ...]
    usage: tuple[str, ...]
    description: str
    options: tuple[Option, ...]
    subcommands: tuple[str, ...]


def entries(command: click.Command, path: tuple[str, ...] = (), parent: click.Context | None = None) -> Iterator[Entry]:
    """A command and all that are below it."""
    name = path[-1] if path else "skywatch"
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    below: dict[str, click.Command] = {}
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            subcommand = command.get_command(context, word)
            if subcommand is not None and not subcommand.hidden:
                below[word] = subcommand
    options = [parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option)]
    yield Entry(
        path,
        tuple(command.collect_usage_pieces(context)),
        (command.help or "").replace("\b\n", ""),
        tuple(_option(option, context) for option in options if not option.hidden),
        tuple(below),
    )
    for word, subcommand in below.items():
        yield from entries(subcommand, (*path, word), context)


def _option(option: click.Option, context: click.Context) -> Option:
    form, text = option.get_help_record(context) or ("", "")
    return Option(form, text)
