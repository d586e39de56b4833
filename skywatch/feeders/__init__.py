"""Feeders as the installation knows them: who registered which, who is admitted, what is going on at each.

Not here: reading, decoding and reducing what they send, which is `receivers/feeder_streams`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.feeders.records.views")
