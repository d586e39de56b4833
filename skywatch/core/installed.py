"""The features of this installation, for what is declared where a module is loaded: schemas, and texts of documents.

``skywatch.features`` names them once; rooms below it ask here when something is validated or written, never when they
are imported.
"""

from __future__ import annotations

from skywatch.core.feature import FeatureSet

_installed: list[FeatureSet] = []


def install(features: FeatureSet) -> None:
    """Name the features of this installation."""
    _installed[:] = [features]


def installed() -> FeatureSet:
    """The features of this installation; raises RuntimeError before ``skywatch.features`` was loaded."""
    if not _installed:
        raise RuntimeError("no features are installed: skywatch.features names them")
    return _installed[0]
