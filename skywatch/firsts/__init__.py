"""Firsts and records: what was seen for the first time, the best of the station, and the journal of each day.

``worker`` counts flights (``keys``, ``bests``, ``days`` are its rules), ``service`` reads what it has counted, and
``visits`` says of an aircraft how often it was here. All of it outlives the flights that it was made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.firsts.views")
