"""What ``skywatch doctor`` checks of the web application: the addresses of base maps."""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.core.terminal.checks import Finding, Inspection, warning
from skywatch.web.settings import WebSettings, check_base_map


def check(inspection: Inspection) -> Iterator[Finding]:
    """Whether tiles of each base map can come; the service runs also without."""
    for base_map in inspection.settings.of(WebSettings).all_base_maps():
        try:
            check_base_map(base_map.address)
        except ValueError as error:
            name = f"base map {base_map.name}" if base_map.name else "base map"
            yield warning(name, f"its tiles will not come: the address {error}", "mend the address")
