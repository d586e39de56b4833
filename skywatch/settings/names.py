"""The settings of an installation: composed of its packages' settings, and by the names an administrator writes."""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Iterable
from typing import Any

from skywatch.settings.base import Settings


def compose(classes: Iterable[type], features: Any) -> type[Settings]:
    """One frozen class with the settings of all packages; raises ValueError where two declare the same name."""
    classes = list(dict.fromkeys(classes))
    owners: dict[str, type] = {}
    for owner in (Settings, *classes):
        for name in vars(owner).get("__annotations__", {}):
            if name in owners:
                raise ValueError(f"setting {name} is declared by {owners[name].__name__} and by {owner.__name__}")
            owners[name] = owner
    bases = tuple(classes) if any(issubclass(one, Settings) for one in classes) else (*classes, Settings)
    kind = dataclasses.make_dataclass(
        "InstallationSettings", [], bases=bases, namespace={"features": features}, frozen=True, kw_only=True
    )
    return typing.cast(type[Settings], kind)


def public_name(field: dataclasses.Field[Any]) -> str:
    """The name as an administrator writes it: ``receiver.*`` for the field ``receivers``."""
    name: str = field.metadata["name"] or field.name
    return name


def published(settings: Settings) -> dict[str, Any]:
    """The settings that ``system/info`` shows, by name."""
    fields = names_of(type(settings)).fields.values()
    return {field.name: getattr(settings, field.name) for field in fields if field.metadata["published"]}


@dataclasses.dataclass(frozen=True)
class Names:
    """The fields of a settings class by their public names.

    ``single`` maps the name of a setting to its field, ``families`` what the names of a family's members begin with
    (``receiver.``). ``hints`` are the types of the fields.
    """

    fields: dict[str, dataclasses.Field[Any]]
    single: dict[str, str]
    families: dict[str, str]
    hints: dict[str, Any]

    def canonical(self, spelling: str) -> str | None:
        """The name that a file writes in any case; what follows the dot of a family keeps its own. None if unknown."""
        name = spelling.lower()
        if name in self.single:
            return name
        lengths = (len(prefix) for prefix in self.families if name.startswith(prefix) and len(name) > len(prefix))
        length = max(lengths, default=0)
        return name[:length] + spelling[length:] if length else None


def names_of(kind: type[Settings]) -> Names:
    """The names of a settings class; the console asks with every page, and the types of 160 fields take 10 ms."""
    return _names_of(typing.cast(Any, kind))


@functools.lru_cache(maxsize=8)
def _names_of(kind: type[Settings]) -> Names:
    fields = {f.name: f for f in dataclasses.fields(kind) if "meaning" in f.metadata}
    by_name = {public_name(f): f.name for f in fields.values()}
    return Names(
        fields,
        {name: field for name, field in by_name.items() if not name.endswith(".*")},
        {name.removesuffix("*"): field for name, field in by_name.items() if name.endswith(".*")},
        typing.get_type_hints(kind),
    )
