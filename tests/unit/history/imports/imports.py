"""One import, and files to import."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

from skywatch.history.imports.service import import_sources
from skywatch.history.imports.sources import Reading, find
from skywatch.history.imports.writer import Storing
from skywatch.history.settings import HistorySettings

BEGIN = 1_750_000_000.0
HEADER = (
    "time,icao24,lat,lon,velocity,heading,vertrate,callsign,onground,alert,spi,squawk,baroaltitude,geoaltitude,"
    "lastposupdate,lastcontact"
)


def run(sessions, settings, *paths, reach=lambda session: session, on_read=lambda size: None, **reading):
    """Import paths; the outcome."""
    storing = Storing(sessions, settings.of(HistorySettings), reach)
    return import_sources(storing, find(paths), Reading(**reading), on_read)


def trace(*entries, **fields):
    """The document of a trace."""
    return {"icao": "4b1620", "timestamp": BEGIN, "trace": [list(e) for e in entries], **fields}


def entry(at, lat=47.0, lon=8.0, alt=1000, flags=0, details=None):
    """An entry of a trace."""
    return at, lat, lon, alt, 100.0, 90.0, flags, 0, details


def packed_trace(icao="4b1620", begin=BEGIN, count=5):
    """A trace file as readsb writes it."""
    entries = [entry(20 * n, lat=47 + n / 100) for n in range(count)]
    return gzip.compress(json.dumps({**trace(*entries), "icao": icao, "timestamp": begin}).encode())


def tar_of(members, mode="w", kinds=None):
    """The bytes of a tar of ``{name: content}``; ``kinds`` are the types of members that are no files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.type = (kinds or {}).get(name, tarfile.REGTYPE)
            info.linkname = "/etc/passwd" if info.islnk() or info.issym() else ""
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def state(at, icao="4b1620", lat="47.5", lon="8.5", **fields):
    """A line of state vectors: ten seconds of one aircraft, at 100 m/s and 1,000 m."""
    values = {
        "time": f"{at:.0f}", "icao24": icao, "lat": lat, "lon": lon, "velocity": "100.0", "heading": "90.0",
        "vertrate": "0.0", "callsign": "SWR1    ", "onground": "false", "alert": "false", "spi": "false",
        "squawk": "1000", "baroaltitude": "1000.0", "geoaltitude": "", "lastposupdate": f"{at - 0.5:.3f}",
        "lastcontact": f"{at:.1f}", **fields,
    }  # fmt: skip
    return ",".join(values[name] for name in HEADER.split(","))


def states(count=6, **fields):
    """A file of state vectors."""
    lines = [state(BEGIN + 10 * n, lat=f"{47.5 + n / 100:.4f}", **fields) for n in range(count)]
    return "\n".join([HEADER, *lines, ""]).encode()
