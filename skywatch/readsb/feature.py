"""What readsb's addresses are made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.readsb.settings import ReadsbSettings

FEATURE = Feature(
    name="readsb",
    include="skywatch.readsb",
    monitor="skywatch.readsb.monitor:create",
    settings=ReadsbSettings,
    tags={
        "data": "The live air picture in readsb's files, for programs written for readsb and tar1090.",
        "re-api": "Live aircraft by queries in the language of readsb's API.",
        "v2": "Live aircraft in the form of ADSBexchange's v2 interface, as adsb.lol and its relatives have it.",
        "globe_history": "Tracks and replay of past days in the files that tar1090 asks for.",
    },
)
