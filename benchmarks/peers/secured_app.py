"""Skywatch's API role with one user; ``BENCH_NAKED`` takes all security away, as a yardstick.

Naked, nobody is asked who they are and nothing is counted; ``/api/v1/bench/profile`` there answers the same body as
``auth/profile`` does to the user.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import skywatch.http
from benchmarks._people import populate
from benchmarks._sky import keep_publishing
from benchmarks.peers.served import serve
from skywatch import make_app
from skywatch.accounts.users.answers import RememberedProfile, profile_answer
from skywatch.accounts.users.service import get_user
from skywatch.core.feature import Feature, FeatureSet
from skywatch.core.runtime import Runtime
from skywatch.features import FEATURES
from skywatch.http.resources.render import json_response
from skywatch.http.resources.service import ApiService
from skywatch.picture.state.sky import from_bytes
from skywatch.security.contexts import OPEN
from skywatch.serving.web_server.api_server import create_api_server
from skywatch.settings import load_with_origins

profile_service = ApiService("bench.profile", "/bench/profile", feature=None)


@profile_service.get(permission=OPEN)
def get_profile(request: Any) -> Any:
    """The profile of the only user, without asking who calls"""
    authenticator = request.registry["authenticator"]
    profile = authenticator.remembered_profile(
        1, lambda session: RememberedProfile(profile_answer(get_user(session, 1)))
    )
    return json_response(profile.body(frozenset(profile.shown["permissions"])))


def includeme(config: Any) -> None:
    config.add_cornice_service(profile_service)
    if os.environ.get("BENCH_NAKED"):
        config.registry["security_policy"].methods.clear()


def main() -> None:
    """Serve until told to stop."""
    if os.environ.get("BENCH_NAKED"):
        skywatch.http.TWEENS = tuple(name for name in skywatch.http.TWEENS if name != "throttle.throttle")
    with tempfile.TemporaryDirectory() as folder:
        runtimes: list[Runtime] = []

        def open_application() -> Any:
            runtimes.append(_runtime(folder))
            return make_app(runtimes[0])

        serve(open_application, lambda app: create_api_server(runtimes[0]))


def _runtime(folder: str) -> Runtime:
    ini = {
        "environment": "development",
        "auth_mode": "public",
        "database_url": f"sqlite:///{folder}/bench.sqlite",
        "listen": f"127.0.0.1:{os.environ['BENCH_PORT']}",
        "default_throttle_rates.anon": "100000000/minute",
        "default_throttle_rates.user": "100000000/minute",
        "default_throttle_rates.live": "100000000/minute",
    }
    bench = Feature(name="bench", include="benchmarks.peers.secured_app")
    settings, _ = load_with_origins(FeatureSet([*FEATURES, bench]).settings(), ini, {})
    runtime = Runtime.open(settings)
    Path(os.environ["BENCH_CREDENTIALS"]).write_text(json.dumps(populate(runtime)))
    keep_publishing(runtime.bus, from_bytes(Path(os.environ["BENCH_SKY"]).read_bytes()))
    return runtime


if __name__ == "__main__":
    # Under its own name, for Cornice and Pyramid find it by that.
    from benchmarks.peers import secured_app

    secured_app.main()
