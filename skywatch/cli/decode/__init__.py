"""``skywatch decode``: what the Mode S frames of a recording say."""

from skywatch.cli.decode.command import decode

__all__ = ["decode"]
