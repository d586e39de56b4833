"""The addresses of known police aircraft, for the class ``police``: the address list of that name of a feature."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import AddressList

NAME = "police"


class PoliceAircraft:
    """``entries`` are the addresses as of the last ``refresh``; none where no feature has a list."""

    def __init__(self, features: FeatureSet) -> None:
        self._list = next((hook for hook in features.provided(AddressList) if hook.name == NAME), None)
        self._revision: Any = None
        self.entries = Entries()

    def refresh(self, session: Session) -> bool:
        """Read the list again if it has changed; returns whether it has."""
        if self._list is None:
            return False
        revision = self._list.revision(session)
        if revision == self._revision:
            return False
        self.entries = Entries(tuple(address.upper() for address in self._list.addresses(session)))
        self._revision = revision
        return True
