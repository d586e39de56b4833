"""``skywatch man``: the manual page skywatch(1), written from the parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from skywatch.cli.outline import Entry, entries
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
