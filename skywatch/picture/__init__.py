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
    """``request.sky`` is the picture of the last tick as the caller may know it (``state.exact_distances``)."""
    from skywatch.core.runtime import runtime_of
    from skywatch.picture.access import picture_replica
    from skywatch.picture.state.exact_distances import exact

    # Here, so that the first request finds a picture.
    runtime_of(config.registry).shared(picture_replica)

    def picture_of(request: Request) -> Sky:
        sky = request.runtime.shared(picture_replica).sky
        return exact(sky) if request.visibility.exact_station else sky

    config.add_request_method(picture_of, "sky", reify=True)
