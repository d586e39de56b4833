"""What ``skywatch doctor`` checks of live aircraft: the file with airspaces."""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.aircraft.airspaces import SETTING, load_airspaces
from skywatch.aircraft.settings import AircraftSettings
from skywatch.core.terminal.checks import Finding, Inspection, fault, ok, warning
from skywatch.settings import SettingsError


def check(inspection: Inspection) -> Iterator[Finding]:
    """Whether the file can be read, where one is named."""
    path = inspection.settings.of(AircraftSettings).airspace_file
    if not path:
        return
    try:
        airspaces = load_airspaces(path)
    except SettingsError as error:
        yield fault(SETTING, error.reason, "mend the file or the setting")
    else:
        if airspaces.faults:
            left_out = "; ".join(airspaces.faults[:3])
            yield warning(SETTING, f"{airspaces.count} airspaces can be used; {left_out}", "mend the file")
        else:
            yield ok(SETTING, f"{airspaces.count} airspaces")
