"""The live air picture: the state of every aircraft in the sky, as columns and as encoded JSON.

Receivers put reports in; once a second out comes a tick. Everybody else reads the ``Sky`` of the last tick:
a request has it as ``request.sky``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skywatch.http.requests.request import Request
    from skywatch.picture.state.sky import Sky


def includeme(config: Any) -> None:
    """``request.sky`` is the picture of the last tick as the caller may know it (``state.exact_distances``); the
    replica is ``request.registry["picture"]``."""
    from skywatch.picture.access import PictureAccess
    from skywatch.picture.distribution.replica import PictureReplica
    from skywatch.picture.settings import PictureSettings
    from skywatch.picture.state.exact_distances import exact

    runtime = config.registry["runtime"]
    timeout_s = runtime.settings.of(PictureSettings).picture_timeout_s
    config.registry["picture"] = PictureReplica(runtime.bus, timeout_s, runtime.shared(PictureAccess).may_serve)

    def picture_of(request: Request) -> Sky:
        sky: Sky = request.registry["picture"].sky
        return exact(sky) if request.visibility.exact_station else sky

    config.add_request_method(picture_of, "sky", reify=True)
