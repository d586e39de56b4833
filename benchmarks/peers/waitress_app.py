"""The same bytes under plain waitress: what the server itself costs, without framework, rights or limits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import waitress

BODY = Path(os.environ["BENCH_BODY"]).read_bytes()


def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Answer with the bytes, whatever is asked."""
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))])
    return [BODY]


waitress.serve(app, listen=f"127.0.0.1:{os.environ['BENCH_PORT']}", threads=4)
