"""What a request asks for, as a typed value.

A colander schema validates a body and describes it in the OpenAPI document; the struct that stands next to it gives the
result its types, so that mypy finds a mistyped name. The schema names it: ``struct = UserCreateFields``. A test holds
the two against each other: names, nullability, defaults and kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, dataclass_transform

import msgspec
from msgspec import UNSET, UnsetType

from skywatch.http.requests.request import Request

__all__ = ["UNSET", "Fields", "UnsetType", "body_of"]


# mypy does not read what subclasses inherit of a struct's options.
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Fields(msgspec.Struct, kw_only=True, frozen=True):
    """The base of the structs of bodies.

    ``UNSET`` is a member that the request does not name, which is not null: a change leaves it as it is.
    """

    @classmethod
    def of(cls, validated: Mapping[str, Any]) -> Self:
        """The struct of what a schema has validated; absent members have their defaults.

        Raises TypeError for a member that the struct does not have, or that it requires.
        """
        if cls.__struct_encode_fields__ == cls.__struct_fields__:
            return cls(**validated)
        names = dict(zip(cls.__struct_encode_fields__, cls.__struct_fields__, strict=True))
        return cls(**{names[name]: value for name, value in validated.items()})

    def given(self) -> dict[str, Any]:
        """The members that are not UNSET, by their name in Python."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in values.items() if value is not UNSET}


F = TypeVar("F", bound=Fields)


def body_of(request: Request, struct: type[F]) -> F:
    """The validated body of a request; raises TypeError where the schema of the operation names another struct."""
    body = request.validated["body"]
    if type(body) is not struct:
        raise TypeError(f"the body is {type(body).__name__}, not {struct.__name__}")
    return body
