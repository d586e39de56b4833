"""``skywatch man``: the manual page skywatch(1), written from the parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import click

from skywatch.core.process.version import VERSION

ENVIRONMENT = {
    "SKYWATCH_API_KEY": "API key that radar sends.",
    "SKYWATCH_TOKEN": "Access token that radar sends where there is no key.",
    "SKYWATCH_PASSWORD": "Password of radar's --username; asked for where it is not set.",
    "SETTING": "Every setting of FILE.ini in upper case, such as DATABASE_URL and SECRET; wins over the file.",
}
CODES = {
    "0": "The command did what it was asked for.",
    "1": "It did not; one line on the error stream says why.",
    "2": "The command line is wrong.",
    "130": "Interrupted.",
}


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


@click.command()
@click.pass_context
def man(context: click.Context) -> None:
    """Print the manual page skywatch(1), for example into /usr/local/share/man/man1/skywatch.1."""
    click.echo(page(list(entries(context.find_root().command))), nl=False)


def page(outline: list[Entry]) -> str:
    """The page in roff."""
    return "\n".join(_lines(outline)) + "\n"


def _lines(outline: list[Entry]) -> Iterator[str]:
    root, *commands = outline
    yield f'.TH SKYWATCH 1 "" "skywatch {VERSION}" "Skywatch"'
    yield from (".SH NAME", r"skywatch \- self\-hosted, real\-time aircraft tracking service")
    yield from (".SH SYNOPSIS", ".B skywatch", _text(" ".join(root.usage)))
    yield from (".SH DESCRIPTION", _text(root.description))
    yield from _options(root)
    yield ".SH COMMANDS"
    for entry in commands:
        yield f'.SS "{_words(entry)}"'
        if entry.subcommands:
            yield from _paragraphs(entry.description)
            continue
        yield f"\\fB{_words(entry)}\\fR {_text(' '.join(entry.usage))}"
        yield ".PP"
        yield from _paragraphs(entry.description)
        yield from _options(entry)
    yield ".SH ENVIRONMENT"
    for name, text in ENVIRONMENT.items():
        yield from (".TP", f".B {_text(name)}", _text(text))
    yield ".SH EXIT STATUS"
    for code, text in CODES.items():
        yield from (".TP", f".B {code}", _text(text))


def _words(entry: Entry) -> str:
    return _text(" ".join(("skywatch", *entry.path)))


def _options(entry: Entry) -> Iterator[str]:
    for option in entry.options:
        yield from (".TP", f".B {_text(option.form)}", _text(option.help))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield from (_text(paragraph), ".PP")


def _text(text: str) -> str:
    """One line that roff prints as it is."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line
