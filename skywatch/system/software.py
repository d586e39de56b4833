"""What the installation runs on: version and licence of every installed package that Skywatch uses."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import metadata

import msgspec

ROOT = "skywatch"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LICENCE = "License :: "
# Some packages have the whole text of the licence in its field.
LONGEST_LICENCE = 80


class Package(msgspec.Struct, frozen=True):
    """One installed package; ``licence`` is what it says of itself."""

    name: str
    version: str
    licence: str
    summary: str


@lru_cache(maxsize=1)
def packages() -> tuple[Package, ...]:
    """Skywatch and all that it uses, directly or not, by name; extras where they are installed."""
    found: dict[str, Package] = {}
    waiting = [ROOT]
    while waiting:
        name = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # Of an extra, or for another platform.
        found[key] = _describe(distribution)
        required = (_NAME.match(requirement) for requirement in distribution.requires or ())
        # Extras of Skywatch itself count where they are installed; those of others are theirs.
        waiting += [match[0] for match in required if match and (name == ROOT or not _is_extra(distribution, match[0]))]
    return tuple(found[key] for key in sorted(found))


def _is_extra(distribution: metadata.Distribution, name: str) -> bool:
    lines = [line for line in distribution.requires or () if (match := _NAME.match(line)) and match[0] == name]
    return all("extra ==" in line.partition(";")[2] for line in lines)


def _describe(distribution: metadata.Distribution) -> Package:
    fields = distribution.metadata
    classified = [
        value.rpartition(" :: ")[2] for value in fields.get_all("Classifier") or () if value.startswith(_LICENCE)
    ]
    said = (_field(fields, "License-Expression") or _field(fields, "License")).strip()
    if not said or said == "UNKNOWN" or len(said) > LONGEST_LICENCE or "\n" in said:
        said = ", ".join(classified) or "not stated"
    return Package(fields["Name"], distribution.version, said, _field(fields, "Summary"))


def _field(fields: metadata.PackageMetadata, name: str) -> str:
    return next(iter(fields.get_all(name) or ()), "")
