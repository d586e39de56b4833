"""A line for each flight: GeoJSON (RFC 7946), KML 2.2 with Google's tracks, GPX 1.1.

Heights are metres above the standard pressure level (barometric altitude converted), as these formats require metres.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape

import msgspec
import numpy as np

from skywatch.history.storage.points import ALTITUDE_FT, DEGREES, NO_ALTITUDE, Points
from skywatch.history.tracks import Track

METRES_PER_FOOT = 0.3048


def geojson(tracks: Iterable[Track]) -> Iterator[bytes]:
    """A FeatureCollection; lines are split where nothing was received, times are in ``times``."""
    yield b'{"type":"FeatureCollection","features":['
    separator = b"\n"
    for track in tracks:
        yield separator + msgspec.json.encode(_feature(track))
        separator = b",\n"
    yield b"\n]}\n"


def _feature(track: Track) -> dict[str, Any]:
    lines = [_coordinates(leg) for leg in track.legs()]
    times = [_times(leg) for leg in track.legs()]
    label = track.label
    geometry: dict[str, Any]
    if len(lines) == 1 and len(lines[0]) == 1:
        geometry = {"type": "Point", "coordinates": lines[0][0]}
    elif len(lines) == 1:
        geometry = {"type": "LineString", "coordinates": lines[0]}
    else:
        # A line needs two positions: a single one is repeated.
        geometry = {"type": "MultiLineString", "coordinates": [line * (3 - min(len(line), 2)) for line in lines]}
        times = [line * (3 - min(len(line), 2)) for line in times]
    return {
        "type": "Feature",
        "geometry": geometry,
        "properties": {
            "icao_hex": track.address.upper(),
            "callsign": label.callsign if label else None,
            "registration": label.registration if label else None,
            "aircraft_type": label.aircraft_type if label else None,
            "military": track.military,
            "simulated": track.simulated,
            "flight_id": int(track.points["flight"][0]),
            "part": track.part,
            "points": len(track.points),
            "times": times if len(times) > 1 else times[0],
        },
    }


def _coordinates(points: Points) -> list[list[float]]:
    lon = np.round(points["lon"] * DEGREES, 5).tolist()
    lat = np.round(points["lat"] * DEGREES, 5).tolist()
    is_known = (points["flags"] & NO_ALTITUDE == 0).tolist()
    height = np.round(points["alt"] * (ALTITUDE_FT * METRES_PER_FOOT), 1).tolist()
    return [[x, y, z] if has_height else [x, y] for x, y, z, has_height in zip(lon, lat, height, is_known, strict=True)]


def _times(points: Points) -> list[str]:
    at = np.datetime_as_string((points["at"] * 10).astype("datetime64[ms]"), unit="ms")
    return [f"{text}Z" for text in at.tolist()]


def kml(tracks: Iterable[Track]) -> Iterator[bytes]:
    """A document with a placemark for each flight, which Google Earth plays in time."""
    yield (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">\n'
        b"<Document>\n<name>Skywatch</name>\n"
        b'<Style id="t"><LineStyle><color>ff00a5ff</color><width>2</width></LineStyle></Style>\n'
    )
    for track in tracks:
        legs = "".join(_kml_leg(leg) for leg in track.legs())
        yield (
            f"<Placemark><name>{_text(track.name)}</name><styleUrl>#t</styleUrl><ExtendedData>{_data(track)}"
            f"</ExtendedData>\n<gx:MultiTrack>\n{legs}</gx:MultiTrack></Placemark>\n"
        ).encode()
    yield b"</Document>\n</kml>\n"


def _kml_leg(points: Points) -> str:
    when = "".join(f"<when>{at}</when>" for at in _times(points))
    coordinates = "".join(
        f"<gx:coord>{' '.join(map(str, (*position, 0)[:3]))}</gx:coord>" for position in _coordinates(points)
    )
    mode = "clampToGround" if (points["flags"] & NO_ALTITUDE).all() else "absolute"
    return f"<gx:Track><altitudeMode>{mode}</altitudeMode>{when}\n{coordinates}</gx:Track>\n"


def _data(track: Track) -> str:
    label = track.label
    values = {
        "icao_hex": track.address.upper(),
        "registration": label.registration if label else None,
        "aircraft_type": label.aircraft_type if label else None,
        "flight_id": int(track.points["flight"][0]),
        "part": track.part,
        "simulated": "true" if track.simulated else None,
    }
    return "".join(
        f'<Data name="{name}"><value>{_text(str(value))}</value></Data>'
        for name, value in values.items()
        if value is not None
    )


def gpx(tracks: Iterable[Track]) -> Iterator[bytes]:
    """A track for each flight, a segment for each stretch without interruption."""
    yield (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<gpx version="1.1" creator="Skywatch" xmlns="http://www.topografix.com/GPX/1/1">\n'
    )
    for track in tracks:
        segments = "".join(f"<trkseg>\n{_gpx_points(leg)}</trkseg>\n" for leg in track.legs())
        kind = (track.label.aircraft_type if track.label else None) or ""
        about = f"{track.address.upper()} {kind} {'simulated' if track.simulated else ''}".strip()
        yield f"<trk><name>{_text(track.name)}</name><desc>{_text(about)}</desc>\n{segments}</trk>\n".encode()
    yield b"</gpx>\n"


def _gpx_points(points: Points) -> str:
    rows = []
    for position, at in zip(_coordinates(points), _times(points), strict=True):
        height = f"<ele>{position[2]}</ele>" if len(position) > 2 else ""
        rows.append(f'<trkpt lat="{position[1]}" lon="{position[0]}">{height}<time>{at}</time></trkpt>\n')
    return "".join(rows)


def _text(text: str) -> str:
    """Text for XML: escaped, without the characters that XML 1.0 cannot hold."""
    return escape("".join(c for c in text if c >= " " and c not in "\ufffe\uffff"), {'"': "&quot;"})
