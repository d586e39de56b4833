"""``skywatch completion bash|zsh|fish``: a script with all commands and options, written from the parser.

The script holds them itself, so that the shell answers at once and starts no program.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

import click

from skywatch.cli.outline import Entry, Option, entries

# For files alone: a command whose name a folder has as well would get a slash behind it.
_BASH_FILES = "compopt -o filenames 2>/dev/null"


@click.command()
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes the commands and options of skywatch in a shell.

    bash: save it as /etc/bash_completion.d/skywatch. zsh: as a file _skywatch in a folder of $fpath. fish: as
    ~/.config/fish/completions/skywatch.fish.
    """
    click.echo(SCRIPTS[shell](list(entries(context.find_root().command))), nl=False)


def _place(entry: Entry) -> str:
    return " ".join(entry.path)


def _names(entry: Entry) -> list[str]:
    return [name for option in entry.options for name in option.names]


def _with_values(outline: list[Entry]) -> Iterator[tuple[Entry, Option]]:
    return ((entry, option) for entry in outline for option in entry.options if option.takes_value)


def _patterns(entry: Entry, option: Option) -> str:
    return "|".join(f'"{_place(entry)} {name}"' for name in option.names)


def _steps(outline: list[Entry]) -> str:
    """The paths of all commands, as patterns of ``case``."""
    return "|".join(f'"{" ".join(entry.path[:-1])} {entry.path[-1]}"' for entry in outline[1:])


def _walk(outline: list[Entry], words: str) -> list[str]:
    """Lines of bash and zsh that put the command which the words before the cursor name into ``place``."""
    return [
        f"    for word in {words}; do",
        '        case "$place $word" in',
        f'            {_steps(outline)}) place="${{place:+$place }}$word" ;;',
        "        esac",
        "    done",
    ]


def _bash(outline: list[Entry]) -> str:
    lines = [
        "# Completion of skywatch for bash, written by `skywatch completion bash`.",
        "_skywatch() {",
        '    local place="" word current="${COMP_WORDS[COMP_CWORD]}" commands="" options="" files=no',
        *_walk(outline, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"'),
        '    case "$place ${COMP_WORDS[COMP_CWORD-1]}" in',
    ]
    for entry, option in _with_values(outline):
        reply = f'-W "{" ".join(option.choices)}"' if option.choices else "-f"
        files = "" if option.choices else f"{_BASH_FILES}; "
        lines.append(
            f"        {_patterns(entry, option)}) {files}"
            f'mapfile -t COMPREPLY < <(compgen {reply} -- "$current"); return ;;'
        )
    lines += ["    esac", '    case "$place" in']
    for entry in outline:
        commands, options = " ".join(entry.subcommands), " ".join(_names(entry))
        files = "; files=yes" if entry.takes_file else ""
        lines.append(f'        "{_place(entry)}") commands="{commands}"; options="{options}"{files} ;;')
    lines += [
        "    esac",
        "    if [[ $current == -* ]]; then",
        '        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")',
        "    elif [[ $files == yes ]]; then",
        f"        {_BASH_FILES}",
        '        mapfile -t COMPREPLY < <(compgen -f -- "$current")',
        "    else",
        '        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")',
        "    fi",
        "}",
        "complete -F _skywatch skywatch",
    ]
    return "\n".join(lines) + "\n"


def _described(name: str, text: str) -> str:
    return shlex.quote(f"{name.replace(':', chr(92) + ':')}:{text}")


def _zsh(outline: list[Entry]) -> str:
    lines = [
        "#compdef skywatch",
        "# Completion of skywatch for zsh, written by `skywatch completion zsh`.",
        "_skywatch() {",
        '    local place="" word files=no',
        "    local -a commands options values",
        *_walk(outline, "${words[2,CURRENT-1]}"),
        '    case "$place ${words[CURRENT-1]}" in',
    ]
    for entry, option in _with_values(outline):
        if option.choices:
            action = f"values=({' '.join(map(shlex.quote, option.choices))}); _describe value values"
        else:
            action = "_files"
        lines.append(f"        {_patterns(entry, option)}) {action}; return ;;")
    lines += ["    esac", '    case "$place" in']
    summaries = {entry.path: entry.summary for entry in outline}
    for entry in outline:
        lines.append(f'        "{_place(entry)}")')
        commands = " ".join(_described(name, summaries[(*entry.path, name)]) for name in entry.subcommands)
        options = " ".join(_described(name, option.help) for option in entry.options for name in option.names)
        lines.append(f"            commands=({commands})")
        lines.append(f"            options=({options})")
        if entry.takes_file:
            lines.append("            files=yes")
        lines.append("            ;;")
    lines += [
        "    esac",
        "    if [[ ${words[CURRENT]} == -* ]]; then",
        "        _describe option options",
        "    elif (( ${#commands} )); then",
        "        _describe command commands",
        "    elif [[ $files == yes ]]; then",
        "        _files",
        "    fi",
        "}",
        # As a file of $fpath all of this is the function's body; where it is sourced, it registers the function.
        "if [[ ${funcstack[1]} == _skywatch ]]; then",
        '    _skywatch "$@"',
        "elif (( $+functions[compdef] )); then",
        "    compdef _skywatch skywatch",
        "fi",
    ]
    return "\n".join(lines) + "\n"


def _fish(outline: list[Entry]) -> str:
    lines = [
        "# Completion of skywatch for fish, written by `skywatch completion fish`.",
        "function __skywatch_at",
        "    set -l place ''",
        "    for word in (commandline -opc)[2..-1]",
        '        switch "$place $word"',
        f"            case {_steps(outline).replace('|', ' ')}",
        '                set place (string trim -- "$place $word")',
        "        end",
        "    end",
        '    test "$place" = "$argv"',
        "end",
        "complete -c skywatch -f",
    ]
    summaries = {entry.path: entry.summary for entry in outline}
    for entry in outline:
        at = f"complete -c skywatch -n {_fish_quote('__skywatch_at ' + _place(entry))}"
        if entry.takes_file:
            lines.append(f"{at} -F")
        for name in entry.subcommands:
            lines.append(f"{at} -a {name} -d {_fish_quote(summaries[(*entry.path, name)])}")
        for option in entry.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            value = ""
            if option.takes_value:
                value = f" -x -a {_fish_quote(' '.join(option.choices))}" if option.choices else " -r -F"
            lines.append(f"{at} {names}{value} -d {_fish_quote(option.help)}")
    return "\n".join(lines) + "\n"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[list[Entry]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
