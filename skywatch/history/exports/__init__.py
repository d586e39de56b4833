"""History in the formats people use, as streams of bytes in constant memory.

``csv_parquet`` writes a row for each point (CSV, Parquet), ``shapes`` a line for each flight (GeoJSON, KML, GPX);
``source`` feeds both from the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from skywatch.history.exports import csv_parquet, shapes
from skywatch.history.tracks import Track

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """One format: its name and its writer; ``whole`` if the writer needs whole flights."""

    name: str
    media_type: str
    extension: str
    write: Callable[[Iterable[Track]], Iterator[bytes]]
    whole: bool


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("csv", "text/csv", "csv", csv_parquet.csv, False),
        Format("geojson", "application/geo+json", "geojson", shapes.geojson, True),
        Format("kml", "application/vnd.google-earth.kml+xml", "kml", shapes.kml, True),
        Format("gpx", "application/gpx+xml", "gpx", shapes.gpx, True),
        Format("parquet", "application/vnd.apache.parquet", "parquet", csv_parquet.parquet, False),
    )
}
