"""One request of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

API = "/api/v1"


@dataclass(frozen=True)
class Ask:
    """One request; ``status`` are the answers that are expected, a refusal being an answer like another."""

    path: str
    body: bytes | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    status: tuple[int, ...] = (200, 201, 202, 204)


def json_bytes(document: Any) -> bytes:
    """A document as compact JSON."""
    return json.dumps(document, separators=(",", ":")).encode()
