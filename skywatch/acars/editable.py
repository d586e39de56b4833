"""Inputs of ACARS messages that administrators add in the console: which they may add, and a trial of one."""

from __future__ import annotations

from skywatch.acars.decoder import decoder_for
from skywatch.inputs.base import Input
from skywatch.inputs.factory import EXAMPLE, KINDS, open_input
from skywatch.inputs.options import Station, split_setting
from skywatch.inputs.trial import MessageCounter, Trial, observe
from skywatch.settings import SettingsError


def check(name: str, text: str) -> None:
    """Raise SettingsError where the ini file's parser would, and for files."""
    setting = f"acars.{name}"
    kind, _ = split_setting(setting, text, KINDS, EXAMPLE)
    if kind == "file":
        raise SettingsError(setting, "is a file of the server; only the ini file may name one")
    _open(name, text)


async def try_out(name: str, text: str, station: Station, within_s: float) -> Trial:
    """Run an input for a time (s); raises SettingsError as ``check``."""
    check(name, text)
    opened = _open(name, text)
    await observe(opened.run(), lambda: opened.status.state in ("ended", "failed"), within_s)
    return Trial(opened.status)


def _open(name: str, text: str) -> Input:
    return open_input("acars", name, text, decoder_for(text), MessageCounter())
