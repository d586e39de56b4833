"""The schemas of the resource of thresholds."""

from __future__ import annotations

from typing import Any, cast

import colander
import msgspec

from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import JsonList, JsonNumber, JsonString, Nullable, Schema, node
from skywatch.safety.thresholds.thresholds import FIELDS, meaning_of


class ThresholdRecord(Schema):
    """A threshold of the detectors."""

    name = node(JsonString(), "Name.")
    value = node(JsonNumber(), "Value in force.")
    default = node(JsonNumber(), "Default.")
    unit = node(JsonString(), "Unit.")
    minimum = node(JsonNumber(), "Least value.")
    maximum = node(JsonNumber(), "Greatest value.")
    source = node(JsonString(), "Source of the default.")
    description = node(JsonString(), "Its effect.")
    fault = node(Nullable(JsonString()), "Why a stored value is not in force, where one is not; the default is.")


class ThresholdList(Schema):
    """All thresholds."""

    settings = node(JsonList(), "Thresholds.", ThresholdRecord(name="threshold"))


# Its members are those of the table of thresholds, whose names no code spells out.
ThresholdChangeFields = cast(
    type[Fields],
    msgspec.defstruct(
        "ThresholdChangeFields",
        [(name, float | UnsetType, UNSET) for name in FIELDS],
        bases=(Fields,),
        module=__name__,
        frozen=True,
        kw_only=True,
    ),
)


class ThresholdChange(Schema):
    """Thresholds to change; others are unchanged."""

    struct = ThresholdChangeFields

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        for name in FIELDS:
            meaning = meaning_of(name)
            self.add(
                colander.SchemaNode(
                    JsonNumber(),
                    name=name,
                    missing=colander.drop,
                    validator=colander.Range(meaning.minimum, meaning.maximum),
                    description=f"{meaning.meaning} ({meaning.unit})" if meaning.unit else meaning.meaning,
                )
            )
