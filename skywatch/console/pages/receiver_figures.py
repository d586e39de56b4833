"""What the page of receivers shows of each: its state, and from the picture how exact and how far its positions are."""

from __future__ import annotations

from typing import Any

import numpy as np

from skywatch.core import stored_settings
from skywatch.core.hooks import opened_families
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.logs import without_passwords
from skywatch.picture.state.own_antenna import heard
from skywatch.picture.state.sky import Sky
from skywatch.security.visibility import Visibility
from skywatch.settings import names_of
from skywatch.system import status

# Estimated position uncertainty (m) by NACp (DO-260B, table 2-71); 95 % of positions are nearer.
UNCERTAINTY_M = {1: 18_520, 2: 7408, 3: 3704, 4: 1852, 5: 926, 6: 556, 7: 185, 8: 93, 9: 30, 10: 10, 11: 3}
RECEIVER = "receiver."
# The states of inputs that do not do their work although they should.
FAILING = ("waiting", "failed")


def describe_inputs(runtime: Runtime, sky: Sky, visibility: Visibility) -> list[dict[str, Any]]:
    """Every receiver and input that the settings name, with its source, its state and the figures of its positions."""
    settings = runtime.current
    names = names_of(type(settings))
    states = {f"{state['family']}.{state['name']}": state for state in status.inputs(runtime, visibility)}
    positions = position_figures(sky)
    rows = []
    for prefix in (RECEIVER, *opened_families(runtime.features)):
        for name, text in sorted(getattr(settings, names.families[prefix]).items()):
            full_name = prefix + name
            source = settings.sources.get(full_name, "default")
            state = states.pop(full_name, None)
            rows.append(
                {
                    "name": full_name,
                    "text": without_passwords(text),
                    "source": stored_settings.source_name(source),
                    "is_free": source == "database",
                    "state": state,
                    "fails": state is not None and state["state"] in FAILING and bool(state["last_error"]),
                    "figures": positions.get(name) if prefix == RECEIVER else None,
                }
            )
    return rows


def position_figures(sky: Sky) -> dict[str, dict[str, Any]]:
    """For each receiver of whose positions the picture has any: the farthest (nm) and the median uncertainty (m)."""
    columns = sky.columns
    has_position, by_antenna = ~np.isnan(columns["lat"]), heard(sky)
    figures = {}
    for name in dict.fromkeys(sky.receivers):
        # All feeders have one name.
        indexes = [index for index, other in enumerate(sky.receivers) if other == name]
        rows = has_position & np.isin(columns["receiver"], indexes)
        if not rows.any():
            continue
        distances, nac_p = columns["distance_nm"][rows & by_antenna], columns["nac_p"][rows]
        nac_p = nac_p[nac_p > 0]
        figures[name] = {
            "farthest_nm": float(distances.max()) if len(distances) else None,
            "uncertainty_m": UNCERTAINTY_M.get(int(np.median(nac_p))) if len(nac_p) else None,
        }
    return figures
