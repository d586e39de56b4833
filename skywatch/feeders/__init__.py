"""Receivers that connect to us: their records, admission and states.

What reads, decodes and reduces their frames is ``skywatch.receivers.feeders``, which knows neither database nor user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.feeders.records.views")
