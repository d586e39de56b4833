"""The commands of the parser with their options, as the manual page and the shell completions need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Option:
    """One option: its names, how its help writes it, and what may follow it."""

    names: tuple[str, ...]
    form: str
    help: str
    takes_value: bool
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One command; the path of ``skywatch user add`` is ``("user", "add")``."""

    path: tuple[str, ...]
    usage: tuple[str, ...]
    summary: str
    description: str
    options: tuple[Option, ...]
    subcommands: tuple[str, ...]
    takes_file: bool


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
    parameters = command.get_params(context)
    yield Entry(
        path,
        tuple(command.collect_usage_pieces(context)),
        command.get_short_help_str(limit=200),
        (command.help or "").replace("\b\n", ""),
        tuple(_option(one, context) for one in parameters if isinstance(one, click.Option) and not one.hidden),
        tuple(below),
        any(isinstance(one, click.Argument) and _is_file(one) for one in parameters),
    )
    for word, subcommand in below.items():
        yield from entries(subcommand, (*path, word), context)


def _is_file(argument: click.Argument) -> bool:
    return isinstance(argument.type, click.Path | click.File) or "FILE" in (argument.metavar or "")


def _option(option: click.Option, context: click.Context) -> Option:
    form, text = option.get_help_record(context) or ("", "")
    choices = tuple(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else ()
    takes_value = not (option.is_flag or option.count)
    return Option((*option.opts, *option.secondary_opts), form, text, takes_value, choices)
