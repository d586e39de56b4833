"""Reads the settings from the ini file and the environment, which wins, and says of each where it came from."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from skywatch.sentences import sentence
from skywatch.settings.base import Settings, Source
from skywatch.settings.declaration import SettingsError
from skywatch.settings.kinds import parse_boolean
from skywatch.settings.names import Names, names_of
from skywatch.settings.variables import texts_of

# Settings of the libraries below us that may stand in the same ini section.
FOREIGN_PREFIXES = ("pyramid.", "debugtoolbar.", "filter-with", "use", "here", "__file__")


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where the value of a setting came from; ``file`` is the secret that is kept next to the SQLite file."""

    name: str
    value: Any
    source: Source
    secret: bool
    meaning: str


def load_with_origins(
    kind: type[Settings], ini: Mapping[str, Any], environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[Origin]]:
    """Parse and check all settings of ``kind``, with the origin of every value.

    Raises SettingsError that names the first wrong one.
    """
    names = names_of(kind)
    environ = os.environ if environ is None else environ
    texts: dict[str, tuple[str, Literal["ini", "environment"]]] = {}
    written: dict[str, str] = {}
    for spelling, value in ini.items():
        name = names.canonical(spelling)
        if name is None:
            if spelling.startswith(FOREIGN_PREFIXES):
                continue
            raise SettingsError(spelling, _unknown(names, spelling))
        if (other := written.setdefault(name.lower(), spelling)) != spelling:
            raise SettingsError(
                name,
                sentence(
                    "settings.set_twice",
                    "is set twice, as {other} and as {spelling}; remove one of them",
                    other=other,
                    spelling=spelling,
                ),
            )
        texts[name] = (str(value), "ini")
    of_ini = {name.lower(): name for name in texts}
    for name, text in texts_of(names, environ).items():
        texts[of_ini.get(name, name)] = (text, "environment")
    values: dict[str, Any] = {}
    for name, field_name in names.single.items():
        if name in texts:
            values[field_name] = parse_setting(names, name, texts[name][0])
    for prefix, field_name in names.families.items():
        members = {n.removeprefix(prefix): text for n, (text, _) in texts.items() if n.startswith(prefix)}
        values[field_name] = {key: text.strip() for key, text in members.items()}
    settings = kind(**values, sources={name: source for name, (_, source) in texts.items()})
    check_settings(settings)
    return settings, origins_of(settings)


def origins_of(settings: Settings) -> list[Origin]:
    """Every setting, the members of families one by one, with its value and where that came from."""
    names = names_of(type(settings))
    origins = []
    for name, field_name in names.single.items():
        metadata = names.fields[field_name].metadata
        source = settings.sources.get(name, "default")
        origins.append(Origin(name, getattr(settings, field_name), source, metadata["secret"], metadata["meaning"]))
    for prefix, field_name in names.families.items():
        metadata = names.fields[field_name].metadata
        for key, text in getattr(settings, field_name).items():
            source = settings.sources.get(prefix + key, "default")
            origins.append(Origin(prefix + key, text, source, metadata["secret"], metadata["meaning"]))
    return origins


def check_settings(settings: Settings) -> None:
    """Refuse combinations of settings; raises SettingsError."""
    for part in reversed(type(settings).__mro__):
        if "check" in vars(part):
            vars(part)["check"](settings)


def parse_setting(names: Names, name: str, text: str) -> Any:
    """The value of a setting that is no member of a family; raises SettingsError."""
    field_name = names.single[name]
    field = names.fields[field_name]
    # A secret is the whole value.
    return _parse(name, field, names.hints[field_name], text if field.metadata["secret"] else text.strip())


def _unknown(names: Names, name: str) -> str:
    close = difflib.get_close_matches(name.lower(), [*names.single, *names.families], n=1)
    if close:
        return sentence("settings.unknown_like", "is not a setting of Skywatch (did you mean {name}?)", name=close[0])
    return sentence("settings.unknown", "is not a setting of Skywatch")


def _parse(name: str, field: dataclasses.Field[Any], hint: Any, text: str) -> Any:
    try:
        value = field.metadata["parse"](text) if field.metadata["parse"] else _convert(hint, text)
    except ValueError as error:
        raise SettingsError(name, str(error)) from None
    minimum, maximum = field.metadata["minimum"], field.metadata["maximum"]
    if value is not None and minimum is not None and value < minimum:
        raise SettingsError(name, sentence("settings.least", "must be at least {minimum}", minimum=f"{minimum:.15g}"))
    if value is not None and maximum is not None and value > maximum:
        raise SettingsError(name, sentence("settings.most", "must be at most {maximum}", maximum=f"{maximum:.15g}"))
    return value


def _convert(hint: Any, text: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        if text not in arguments:
            raise ValueError(sentence("settings.one_of", "expected one of {names}", names=", ".join(arguments)))
        return text
    if origin in (typing.Union, types.UnionType):
        if text == "":
            return None
        return _convert(next(a for a in arguments if a is not type(None)), text)
    if origin is tuple:
        return tuple(_convert(arguments[0], item) for item in re.split(r"[\s,]+", text) if item)
    return _SCALARS[hint](text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(sentence("settings.number", "expected a number")) from None
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(sentence("settings.finite", "expected a finite number"))
    return value


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise ValueError(sentence("settings.whole", "expected a whole number"))
    return int(text)


_SCALARS: dict[Any, Callable[[str], Any]] = {str: str, bool: parse_boolean, float: _number, int: _whole}
