"""Answers the addresses of the web application, with the policy that keeps everything foreign out of its page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import urlsplit

from pyramid.response import Response

from skywatch.accounts.first_user import SetupState
from skywatch.aircraft.airspaces import AirspaceStore
from skywatch.core.runtime import runtime_of
from skywatch.http.clients.channel import channel_address
from skywatch.http.requests.compression import takes_gzip
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.web.built import GROUND, Application, File, ground_archives
from skywatch.web.kiosk import parse_kiosk_views
from skywatch.web.operators import read_operators
from skywatch.web.photos import PHOTO_SOURCES
from skywatch.web.ranges import range_response
from skywatch.web.region.place import region_file
from skywatch.web.settings import REGION_NAME, BaseMap, WebSettings, hosts_of, parse_weather

Handler = Callable[[Request], Response]
FOREVER = "public, max-age=31536000, immutable"
EACH_TIME = "no-cache"
# No file of the application is there, so that nothing looks at the disk for one.
API = "/api/"
OPERATORS = "/operators.json"
GROUND_PATH = "/ground/"
# Below the page's own address: it asks with the credentials of its reader.
REGION = BaseMap(REGION_NAME, "archive", "api/v1/aircraft/map/region.pmtiles", "")
NOT_THERE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<title>Skywatch</title></head>
<body>
<h1>Skywatch is running, its web application is not there yet</h1>
<p>{reason}</p>
<p>Meanwhile there are the <a href="api/v1/docs">REST API</a>, the <a href="console">console</a> and, in a terminal,
<code>skywatch radar</code>.</p>
</body>
</html>
"""
NO_ADMINISTRATOR = (
    '<p class="noscript">There is no administrator yet. On the machine that runs Skywatch, '
    "<code>skywatch setup-link FILE.ini</code> prints a link for the first one.</p>"
)


def files_tween(handler: Handler, registry: Any) -> Handler:
    """Answer the application's files; everything else is the API's, the console's, or nobody's."""
    runtime = runtime_of(registry)
    http_settings, operator_names = runtime.settings.of(HttpSettings), runtime.settings.of(WebSettings).operator_names
    application = Application()
    operators = json.dumps(read_operators(operator_names)) if operator_names else None

    def tween(request: Request) -> Response:
        path = request.environ.get("PATH_INFO", "")
        if path == OPERATORS and operators is not None and request.method in ("GET", "HEAD"):
            return _operators(operators)
        if path.startswith(GROUND_PATH) and request.method in ("GET", "HEAD"):
            name = path.removeprefix(GROUND_PATH)
            if name in ground_archives(GROUND).values():
                return range_response(request, GROUND / name, FOREVER)
        name = path[1:]
        file = application.file(name) if path.startswith("/") and not path.startswith(API) else None
        if file is None and path not in ("", "/"):
            return handler(request)
        if request.method not in ("GET", "HEAD"):
            return handler(request)
        if file is None:
            return _not_there(application.reason())
        # What the console has set is in the page, and in its policy, when it is loaded again.
        settings = runtime.current.of(WebSettings)
        response = _page(request, file, settings) if not name else _file(request, file)
        # Workers run under the policy of their own script.
        is_kiosk = not name and _is_kiosk(request)
        if not name or name.endswith(".js"):
            response.headers["Content-Security-Policy"] = policy(
                settings, channel_address(http_settings, request.host_url, request.path_prefix), is_kiosk=is_kiosk
            )
        if is_kiosk and settings.embed_origins:
            # The policy names the origins, which this header cannot.
            request.frame_origins = settings.embed_origins
        return response

    return tween


def _file(request: Request, file: File) -> Response:
    """A file as it is, packed where the client takes that; 304 where the client has it."""
    body, encoding = file.read(gzip=takes_gzip(request))
    response = Response(body=body, content_type=file.media_type)
    if file.media_type.startswith("text/"):
        response.charset = "utf-8"
    response.headers["Cache-Control"] = FOREVER if file.is_immutable else EACH_TIME
    response.headers["Vary"] = "Accept-Encoding"
    if encoding:
        response.content_encoding = encoding
    response.etag = f"{file.etag}-gzip" if encoding else file.etag
    response.conditional_response = True
    return response


def _operators(body: str) -> Response:
    """The names of operators that the installation has."""
    response = Response(text=body, content_type="application/json", charset="utf-8")
    response.headers["Cache-Control"] = EACH_TIME
    response.md5_etag()
    response.conditional_response = True
    return response


def _page(request: Request, file: File, settings: WebSettings) -> Response:
    """The page, with what the installation adds to it and, without script, how the set-up begins."""
    body, _ = file.read(gzip=False)
    region = region_file(request.runtime.settings)
    own = [REGION] if region is not None and region.is_file() else []
    lines = [_base_map(base_map) for base_map in [*own, *settings.all_base_maps()]]
    if settings.photo_source != "none":
        lines.append(f'<meta name="skywatch-photo-source" content="{settings.photo_source}">')
    if settings.operator_names:
        lines.append('<meta name="skywatch-operator-names">')
    archives = {kind: f".{GROUND_PATH}{name}" for kind, name in ground_archives(GROUND).items()}
    lines.append(_meta("skywatch-ground", archives))
    lines.append(_meta("skywatch-layers", _layers(settings, request.runtime.shared(AirspaceStore).current.count > 0)))
    if _is_kiosk(request):
        views = [dataclasses.asdict(view) for view in parse_kiosk_views(settings.kiosk_views)]
        lines.append(_meta("skywatch-kiosk", {"views": views}))
    text = body.decode("utf-8").replace("</head>", "".join(f"  {line}\n  " for line in lines) + "</head>", 1)
    if request.runtime.shared(SetupState).is_open:
        text = text.replace("</noscript>", NO_ADMINISTRATOR + "</noscript>", 1)
    response = Response(text=text, content_type="text/html", charset="utf-8")
    response.headers["Cache-Control"] = EACH_TIME
    # A sign-on happens in a window of its own, which has to find its way back to this one.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    response.md5_etag()
    response.conditional_response = True
    return response


def _base_map(base_map: BaseMap) -> str:
    return _meta("skywatch-base-map", dataclasses.asdict(base_map))


def _layers(settings: WebSettings, has_airspaces: bool) -> dict[str, Any]:
    """Which layers of the map the installation has."""
    weather = parse_weather(settings.weather_tiles_url)
    return {
        "airspaces": has_airspaces,
        "weather": {"address": weather.address, "attribution": weather.attribution} if weather else None,
    }


def _meta(name: str, members: dict[str, Any]) -> str:
    return f'<meta name="{name}" content="{escape(json.dumps(members, ensure_ascii=False))}">'


def _is_kiosk(request: Request) -> bool:
    """Whether the page is requested as a kiosk; the answer says so to the page."""
    return bool(request.GET.getall("kiosk") == ["1"])


def policy(settings: WebSettings, channel_url: str, *, is_kiosk: bool = False) -> str:
    """The content security policy: this service, its channel, and the hosts of maps and photos that settings name."""
    weather = parse_weather(settings.weather_tiles_url)
    frames = settings.embed_origins if is_kiosk else ()
    channel = _origins(channel_url)
    tiles = list(dict.fromkeys(origin for one in settings.all_base_maps() for origin in _origins(one.address)))
    photos = PHOTO_SOURCES.get(settings.photo_source)
    images = [*tiles, *([photos.image_origin] if photos else [])]
    asked = [*channel, *tiles, *([photos.api_origin] if photos else [])]
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "font-src 'self'",
            " ".join(
                dict.fromkeys(["img-src 'self' data: blob:", *images, *(_origins(weather.address) if weather else [])])
            ),
            " ".join(["connect-src 'self'", *asked]),
            "media-src 'self' blob:",
            "worker-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            " ".join(["frame-ancestors", *(frames or ("'none'",))]),
        )
    )


def _origins(url: str) -> list[str]:
    """What a policy says of an address: a source for each host; nothing of one that no browser asks."""
    parts = urlsplit(url)
    try:
        return [f"{parts.scheme}://{host}" for host in hosts_of(url)] if parts.netloc else []
    except ValueError:
        # An ini file may name such a map; its tiles do not come.
        return []


def _not_there(reason: str) -> Response:
    response = Response(text=NOT_THERE.format(reason=escape(reason)), content_type="text/html", charset="utf-8")
    response.status_code = 503
    response.headers["Retry-After"] = "5"
    response.headers["Cache-Control"] = "no-store"
    return response
