"""``skywatch completion bash|zsh|fish``: click's script, which asks ``skywatch`` itself for what can follow."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM, VARIABLE = "skywatch", "_SKYWATCH_COMPLETE"


@click.command()
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes the commands and options of skywatch in a shell.

    bash (4.4 or newer): save it as /etc/bash_completion.d/skywatch. zsh: as a file _skywatch in a folder of $fpath.
    fish: as ~/.config/fish/completions/skywatch.fish.
    """
    completer = get_completion_class(shell)
    if completer is None:
        raise click.UsageError(f"click has no completion for {shell}")
    click.echo(completer(context.find_root().command, {}, PROGRAM, VARIABLE).source(), nl=False)
