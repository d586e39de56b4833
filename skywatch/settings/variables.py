"""The settings that the environment gives: ``LISTEN`` for ``listen``, ``RECEIVER_ROOF`` for ``receiver.roof``.

A variable with the suffix ``_FILE`` names a file with the value, as orchestrators hand secrets to a container.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from skywatch.settings.declaration import SettingsError
from skywatch.settings.names import Names

FILE_SUFFIX = "_FILE"
# No value of a setting is longer (bytes); a device or a log named by mistake is not read to its end.
FILE_BYTES = 1_000_000


def texts_of(names: Names, environ: Mapping[str, str]) -> dict[str, str]:
    """The values by the names of their settings; raises SettingsError for one set twice or an unreadable file."""
    variables: dict[str, list[str]] = {}
    for variable, name in _matches(names, environ):
        variables.setdefault(name, []).append(variable)
    return {name: _value(name, match, environ) for name, match in variables.items()}


def _matches(names: Names, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each variable of a setting with the setting's name."""
    own = {_plain(name): name for name in names.single}
    for variable in environ:
        plain = _plain(variable)
        # A setting whose own name ends with _file is not another one's file.
        name = own.get(plain) or own.get(plain.removesuffix(FILE_SUFFIX)) or _member(names, plain)
        if name is not None:
            yield variable, name


def _plain(name: str) -> str:
    """A name or variable as ``RECEIVER_ROOF``: case does not matter, and a dot may stay."""
    return name.upper().replace(".", "_")


def _member(names: Names, plain: str) -> str | None:
    """The member of a family that a variable sets."""
    stem = plain.removesuffix(FILE_SUFFIX)
    for prefix, field_name in names.families.items():
        variable_prefix = prefix.upper().replace(".", "_")
        if not stem.startswith(variable_prefix) or len(stem) == len(variable_prefix):
            continue
        is_member = names.fields[field_name].metadata["is_member"]
        member = stem.removeprefix(variable_prefix).lower()
        if is_member is None or is_member(member):
            return prefix + member
    return None


def _value(name: str, variables: list[str], environ: Mapping[str, str]) -> str:
    files = [variable for variable in variables if _plain(variable) != _plain(name)]
    if not files:
        # Of several spellings the one in upper case with underscores wins.
        return environ[next((variable for variable in variables if variable == _plain(name)), min(variables))]
    if len(variables) > 1:
        raise SettingsError(name, f"is set by {' and by '.join(sorted(variables))}; remove one of them")
    return _content(name, files[0], environ[files[0]])


def _content(name: str, variable: str, path: str) -> str:
    """The text of a file without the line end after it; raises SettingsError."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise SettingsError(name, f"the file {path!r} ({variable}) is longer than {FILE_BYTES} bytes")
        return data.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        raise SettingsError(name, f"the file {path!r} ({variable}) cannot be read: {error.strerror}") from None
    except ValueError:
        raise SettingsError(name, f"the file {path!r} ({variable}) is not UTF-8 text") from None
