"""Skywatch's own API role with a picture that does not move, under waitress as `skywatch serve` runs it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from benchmarks._people import populate
from benchmarks._sky import keep_publishing
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.picture.state.sky import from_bytes
from skywatch.serving.web_server.api_server import create_api_server


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ini = {"environment": "development", "auth_mode": "public", "database_url": f"sqlite:///{folder}/bench.sqlite"}
        plenty = {f"default_throttle_rates.{bucket}": "100000000/minute" for bucket in ("anon", "user", "live")}
        ini |= {"listen": f"127.0.0.1:{os.environ['BENCH_PORT']}", **plenty}
        runtime = Runtime.open(load(ini, {}))
        Path(os.environ["BENCH_CREDENTIALS"]).write_text(json.dumps(populate(runtime)))
        sky = from_bytes(Path(os.environ["BENCH_SKY"]).read_bytes())
        keep_publishing(runtime.bus, sky)
        create_api_server(runtime).run()


main()
