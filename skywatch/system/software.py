"""Version and licence of every installed package that Skywatch uses."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import metadata

import msgspec

ROOT = "skywatch"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LICENCE = "License :: "
# Some packages put the whole text of the licence into this field.
MAX_LICENCE = 80


class Package(msgspec.Struct, frozen=True):
    """One installed package; ``licence`` is from its metadata."""

    name: str
    version: str
    licence: str
    summary: str


@lru_cache(maxsize=1)
def packages() -> tuple[Package, ...]:
    """Skywatch and its direct and indirect dependencies by name, with installed extras."""
    described: dict[str, Package] = {}
    names = [ROOT]
    while names:
        name = names.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in described:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # Of an extra, or for another platform.
        described[key] = _describe(distribution)
        required = (_NAME.match(requirement) for requirement in distribution.requires or ())
        # Installed extras of Skywatch count; extras of other packages do not.
        names += [match[0] for match in required if match and (name == ROOT or not _is_extra(distribution, match[0]))]
    return tuple(described[key] for key in sorted(described))


def _is_extra(distribution: metadata.Distribution, name: str) -> bool:
    lines = [line for line in distribution.requires or () if (match := _NAME.match(line)) and match[0] == name]
    return all("extra ==" in line.partition(";")[2] for line in lines)


def _describe(distribution: metadata.Distribution) -> Package:
    fields = distribution.metadata
    classifiers = [
        value.rpartition(" :: ")[2] for value in fields.get_all("Classifier") or () if value.startswith(_LICENCE)
    ]
    licence = (_field(fields, "License-Expression") or _field(fields, "License")).strip()
    if not licence or licence == "UNKNOWN" or len(licence) > MAX_LICENCE or "\n" in licence:
        licence = ", ".join(classifiers) or "not stated"
    return Package(fields["Name"], distribution.version, licence, _field(fields, "Summary"))


def _field(fields: metadata.PackageMetadata, name: str) -> str:
    return next(iter(fields.get_all(name) or ()), "")
