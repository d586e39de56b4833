"""What readsb's addresses are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.picture.hooks import PictureMonitor
from skywatch.readsb.settings import ReadsbSettings

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.picture.monitor import Monitor


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.readsb.monitor import create

    return create(runtime)


FEATURE = Feature(
    name="readsb",
    include="skywatch.readsb",
    settings=ReadsbSettings,
    tags={
        "data": "The live air picture in readsb's files, for programs written for readsb and tar1090.",
        "re-api": "Live aircraft by queries in the language of readsb's API.",
        "v2": "Live aircraft in the form of ADSBexchange's v2 interface, as adsb.lol and its relatives have it.",
        "globe_history": "Tracks and replay of past days in the files that tar1090 asks for.",
    },
    provides=(PictureMonitor(_create_monitor),),
)
