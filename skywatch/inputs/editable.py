"""What the console may set of an input: kinds that connect to somebody, what they connect to, and options of no risk.

Everything that is not named is a line of the ini file: whoever administers the service may have no right to open ports
of this machine, or to read its files and its environment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from skywatch.core.telemetry.logs import without_passwords
from skywatch.inputs.options import split_setting
from skywatch.sentences import sentence
from skywatch.settings import IniOnlyError, ini_line

ADDRESS = re.compile(r"[^/]+")
URL = re.compile(r"https?://.+")
# The value of an option that names no file.
VALUE = re.compile(r"[^/]*")


@dataclass(frozen=True)
class EditableKind:
    """One kind of input: the form of what it connects to (None: nothing), and of the values of its options by name."""

    target: re.Pattern[str] | None
    options: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    def refusal_of(self, words: list[str], line: str) -> str:
        """Why the console may not set the words after the kind, with the line for the ini file; else nothing."""
        options = words
        if self.target is not None and words:
            if not self.target.fullmatch(words[0]):
                return sentence("input.file_ini_only", "a file is for the ini file only: {line}", line=line)
            options = words[1:]
        for word in options:
            name, _, value = word.partition("=")
            if name not in self.options:
                return sentence(
                    "input.option_ini_only",
                    "{option} is unknown or for the ini file only: {line}",
                    option=name,
                    line=line,
                )
            if not self.options[name].fullmatch(value):
                return sentence(
                    "input.value_ini_only",
                    "this value of {option} is for the ini file only: {line}",
                    option=name,
                    line=line,
                )
        return ""


def check_editable(
    setting: str, text: str, kinds: Collection[str], example: str, allowed: Mapping[str, EditableKind]
) -> None:
    """Raise SettingsError for an unknown kind, and IniOnlyError for what the console may not set."""
    kind, words = split_setting(setting, text, kinds, example)
    line = ini_line(setting, without_passwords(text))
    if kind not in allowed:
        raise IniOnlyError(
            setting,
            sentence("input.kind_ini_only", "the kind {kind} is for the ini file only: {line}", kind=kind, line=line),
        )
    refusal = allowed[kind].refusal_of(words, line)
    if refusal:
        raise IniOnlyError(setting, refusal)
