"""ACARS messages: inputs, decoding, storage with full-text search, links to aircraft and flights."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.acars.resources.views")
