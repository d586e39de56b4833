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

from skywatch.settings.check import check
from skywatch.settings.declaration import SettingsError
from skywatch.settings.kinds import parse_boolean
from skywatch.settings.names import FAMILIES, FIELDS, NAMES
from skywatch.settings.providers import split_member
from skywatch.settings.table import Settings

# Settings of the libraries below us that may stand in the same ini section.
FOREIGN_PREFIXES = ("pyramid.", "debugtoolbar.", "filter-with", "use", "here", "__file__")


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where the value of a setting came from: ``default``, ``ini`` or ``environment``."""

    name: str
    value: Any
    source: Literal["default", "ini", "environment"]
    secret: bool


def load(ini: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """Parse and check all settings; raises SettingsError naming the first that is wrong."""
    settings, _ = load_with_origins(ini, environ)
    return settings


def load_with_origins(
    ini: Mapping[str, Any], environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[Origin]]:
    """Like ``load``, with the origin of every value for ``skywatch settings``."""
    environ = os.environ if environ is None else environ
    texts: dict[str, tuple[str, Literal["ini", "environment"]]] = {}
    for name, value in ini.items():
        if _is_known(name):
            texts[name] = (str(value), "ini")
        elif not name.startswith(FOREIGN_PREFIXES):
            raise SettingsError(name, _unknown(name))
    texts.update(_from_environment(environ, texts))
    values: dict[str, Any] = {}
    origins: list[Origin] = []
    for name, field_name in NAMES.items():
        field = FIELDS[field_name]
        if name in texts:
            text, source = texts[name]
            values[field_name] = _parse(name, field, text.strip())
            origins.append(Origin(name, values[field_name], source, field.metadata["secret"]))
        else:
            origins.append(Origin(name, field.default, "default", field.metadata["secret"]))
    for prefix, field_name in FAMILIES.items():
        members = {n.removeprefix(prefix): v for n, v in texts.items() if n.startswith(prefix)}
        values[field_name] = {key: text.strip() for key, (text, _) in members.items()}
        for key, (text, source) in members.items():
            secret = FIELDS[field_name].metadata["secret"]
            origins.append(Origin(prefix + key, text.strip(), source, secret))
    settings = Settings(**values)
    check(settings)
    return settings, origins


def _is_known(name: str) -> bool:
    return name in NAMES or any(name.startswith(p) and len(name) > len(p) for p in FAMILIES)


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, [*NAMES, *FAMILIES], n=1)
    return "is not a setting of Skywatch" + (f" (did you mean {close[0]}?)" if close else "")


def _from_environment(
    environ: Mapping[str, str], ini: Mapping[str, Any]
) -> dict[str, tuple[str, Literal["ini", "environment"]]]:
    found: dict[str, tuple[str, Literal["ini", "environment"]]] = {}
    for name in NAMES:
        variable = name.upper()
        for candidate in (variable, variable.replace(".", "_")):
            if candidate in environ:
                found[name] = (environ[candidate], "environment")
    own = {variant for name in NAMES for variant in (name.upper(), name.upper().replace(".", "_"))}
    for prefix in FAMILIES:
        variable_prefix = prefix.upper().replace(".", "_")
        for variable, text in environ.items():
            # OIDC_ENABLED is a setting of its own, no member of the family OIDC_*.
            if variable in own or not variable.startswith(variable_prefix) or len(variable) == len(variable_prefix):
                continue
            if prefix == "oidc." and split_member(variable.removeprefix(variable_prefix).lower()) is None:
                continue  # Some other program's.
            found[prefix + variable.removeprefix(variable_prefix).lower()] = (text, "environment")
    return found


_HINTS = typing.get_type_hints(Settings)


def _parse(name: str, field: dataclasses.Field[Any], text: str) -> Any:
    try:
        value = field.metadata["parse"](text) if field.metadata["parse"] else _convert(_HINTS[field.name], text)
    except ValueError as error:
        raise SettingsError(name, str(error)) from None
    minimum, maximum = field.metadata["minimum"], field.metadata["maximum"]
    if value is not None and minimum is not None and value < minimum:
        raise SettingsError(name, f"must be at least {minimum:g}")
    if value is not None and maximum is not None and value > maximum:
        raise SettingsError(name, f"must be at most {maximum:g}")
    return value


def _convert(hint: Any, text: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        if text not in arguments:
            raise ValueError(f"expected one of {', '.join(arguments)}")
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
        raise ValueError("expected a number") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("expected a finite number")
    return value


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise ValueError("expected a whole number")
    return int(text)


_SCALARS: dict[Any, Callable[[str], Any]] = {str: str, bool: parse_boolean, float: _number, int: _whole}
