"""What receivers are made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.receivers.settings import ReceiverSettings

FEATURE = Feature(name="receivers", settings=ReceiverSettings)
