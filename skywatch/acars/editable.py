"""Inputs of ACARS messages that administrators add in the console: which they may add, and a trial of one."""

from __future__ import annotations

from skywatch.acars.decoder import decoder_for
from skywatch.inputs.base import Input
from skywatch.inputs.editable import ADDRESS, EditableKind, check_editable
from skywatch.inputs.factory import EXAMPLE, KINDS, open_input
from skywatch.inputs.options import Station
from skywatch.inputs.trial import MessageCounter, Trial, observe

ALLOWED = {"tcp": EditableKind(ADDRESS)}


def check(name: str, text: str) -> None:
    """Raise SettingsError where the ini file's parser would, and IniOnlyError for what the console may not set."""
    check_editable(f"acars.{name}", text, KINDS, EXAMPLE, ALLOWED)
    _open(name, text)


async def try_out(name: str, text: str, station: Station, within_s: float) -> Trial:
    """Run an input for a time (s); raises SettingsError as ``check``."""
    check(name, text)
    opened = _open(name, text)
    await observe(opened.run(), lambda: opened.status.state in ("ended", "failed"), within_s)
    return Trial(opened.status)


def _open(name: str, text: str) -> Input:
    return open_input("acars", name, text, decoder_for(text), MessageCounter())
