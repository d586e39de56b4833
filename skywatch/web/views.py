"""The map of the own region: a PMTiles archive of this machine, which the service answers by range."""

from __future__ import annotations

import os

from pyramid.response import Response

from skywatch.core.problems import not_found
from skywatch.http.lists.ranges import serve_open
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.web.ranges import MEDIA_TYPE
from skywatch.web.region.place import region_file

region = ApiService("web.region", "/aircraft/map/region.pmtiles", feature="aircraft")


@region.get(
    permission=Permission.AIRCRAFT_VIEW,
    responses={200: MEDIA_TYPE, 206: MEDIA_TYPE, 304: None},
    errors=(404, 416),
)
def get_region_map(request: Request) -> Response:
    """The map of the own region as a PMTiles archive

    The file of the setting `map_region_file`, or the one that the console has fetched. Clients read its parts with
    `Range`, as the format is made for; `If-Range` with the ETag makes sure that they are parts of one file.
    """
    path = region_file(request.runtime.settings)
    thing = sentence("thing.region_map", "map of the region")
    if path is None:
        raise not_found(thing)
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise not_found(thing) from None
    # Of the open file: another one may take its place at any time.
    found = os.fstat(file.fileno())
    size = found.st_size
    return serve_open(
        request,
        file,
        size,
        f"{found.st_mtime_ns:x}-{size:x}",
        MEDIA_TYPE,
        has=sentence("web.region_range", "The map of the region has {count} bytes.", count=size),
    )
