"""The one list of what an installation consists of.

The application includes the features in this order, and looks for an address in the same order: what many clients ask
every second comes first. Topics of the real-time channel are named in this order too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skywatch.acars import feature as acars
from skywatch.accounts import feature as accounts
from skywatch.aircraft import feature as aircraft
from skywatch.airframes import feature as airframes
from skywatch.airports import feature as airports
from skywatch.alerts import feature as alerts
from skywatch.archive import feature as archive
from skywatch.audio import feature as audio
from skywatch.backup import feature as backup
from skywatch.cannonball import feature as cannonball
from skywatch.console import feature as console
from skywatch.core import rule_fields
from skywatch.core.feature import FeatureSet
from skywatch.feeders import feature as feeders
from skywatch.firsts import feature as firsts
from skywatch.history import feature as history
from skywatch.http import feature as http
from skywatch.inputs import feature as inputs
from skywatch.mcp import feature as mcp
from skywatch.notify import feature as notify
from skywatch.outputs import feature as outputs
from skywatch.overflights import feature as overflights
from skywatch.patterns import feature as patterns
from skywatch.picture import feature as picture
from skywatch.readsb import feature as readsb
from skywatch.realtime import feature as realtime
from skywatch.receivers import feature as receivers
from skywatch.reception import feature as reception
from skywatch.routes import feature as routes
from skywatch.safety import feature as safety
from skywatch.settings import Origin, Settings, load_with_origins
from skywatch.sso import feature as sso
from skywatch.system import feature as system
from skywatch.web import feature as web

FEATURES = FeatureSet(
    (
        http.FEATURE,
        inputs.FEATURE,
        receivers.FEATURE,
        airframes.FEATURE,
        patterns.FEATURE,
        picture.FEATURE,
        readsb.FEATURE,
        aircraft.FEATURE,
        airports.FEATURE,
        routes.FEATURE,
        accounts.FEATURE,
        sso.FEATURE,
        alerts.FEATURE,
        safety.FEATURE,
        acars.FEATURE,
        audio.FEATURE,
        outputs.FEATURE,
        cannonball.FEATURE,
        feeders.FEATURE,
        reception.FEATURE,
        history.FEATURE,
        firsts.FEATURE,
        overflights.FEATURE,
        system.FEATURE,
        archive.FEATURE,
        backup.FEATURE,
        notify.FEATURE,
        realtime.FEATURE,
        mcp.FEATURE,
        console.FEATURE,
        web.FEATURE,
        # Last: what the roots of the API list is what the others have added.
        http.ROOTS,
    )
)
rule_fields.declare(FEATURES.provided(rule_fields.RuleField))
SETTINGS: type[Settings] = FEATURES.settings()


def load(ini: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """Parse and check all settings of this installation; raises SettingsError that names the first wrong one."""
    settings, _ = load_origins(ini, environ)
    return settings


def load_origins(ini: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> tuple[Settings, list[Origin]]:
    """Like ``load``, with the origin of every value for ``skywatch settings``."""
    return load_with_origins(SETTINGS, ini, environ)
