"""What all HTTP resources share, as a part of the application."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.http.settings import HttpSettings

FEATURE = Feature(
    name="http",
    settings=HttpSettings,
    metrics="skywatch.http.metrics",
    include="skywatch.http",
    tags={
        "docs": "The documentation of the API as a page.",
        "openapi": "The OpenAPI document.",
    },
)
ROOTS = Feature(name="roots", include="skywatch.http.roots")
