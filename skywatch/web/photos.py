"""The sources of aircraft photos that a page may ask, by the name that ``photo_source`` takes.

The reader's browser asks the source itself, after the reader agreed to it. Whether the service may ask instead is up to
the source's terms: those of planespotters.net (https://www.planespotters.net/photo/api, as published in June 2026) want
each picture fetched by the browser that shows it, from the address that the API returned, and permit no proxy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PhotoSource:
    """What the content security policy has to permit for a source, and what its terms permit."""

    api_origin: str
    image_origin: str
    permits_proxy: bool


PHOTO_SOURCES: dict[str, PhotoSource] = {
    "planespotters": PhotoSource(
        api_origin="https://api.planespotters.net", image_origin="https://t.plnspttrs.net", permits_proxy=False
    )
}


def proxy_refusal(source: str) -> str | None:
    """Why ``photo_proxy`` cannot be true with this source; None where it can."""
    photo_source = PHOTO_SOURCES.get(source)
    if photo_source is None:
        return "needs a photo_source; leave it false"
    if not photo_source.permits_proxy:
        return f"the terms of {source}.net permit no proxy: browsers fetch photos themselves; leave it false"
    return None
