"""The schemas of the resource of thresholds."""

from __future__ import annotations

from typing import Any, cast

import colander
import msgspec

from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonString,
    Schema,
    code_node,
    list_node,
    nullable_node,
    number_node,
    params_node,
    string_node,
)
from skywatch.safety.thresholds.thresholds import FIELDS, meaning_of


class ThresholdRecord(Schema):
    """A threshold of the detectors."""

    name = string_node("Name.")
    value = number_node("Value in force.")
    default = number_node("Default.")
    unit = string_node("Unit.")
    minimum = number_node("Least value.")
    maximum = number_node("Greatest value.")
    source = string_node("Source of the default.")
    description = string_node("Its effect.")
    fault = nullable_node(JsonString(), "Why a stored value is not in force, where one is not; the default is.")
    fault_code = code_node()
    fault_params = params_node()


class ThresholdList(Schema):
    """All thresholds."""

    settings = list_node(ThresholdRecord(name="threshold"), "Thresholds.")


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
                number_node(
                    f"{meaning.meaning} ({meaning.unit})" if meaning.unit else meaning.meaning,
                    name=name,
                    missing=colander.drop,
                    validator=colander.Range(meaning.minimum, meaning.maximum),
                )
            )
