"""One WSGI application under the web server that ``BENCH_SERVER`` names: Skywatch's waitress, waitress, or gunicorn."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

THREADS = 8


def serve(open_application: Callable[[], Any], hardened: Callable[[Any], Any]) -> None:
    """Serve until told to stop; ``hardened`` makes Skywatch's own server of the application."""
    kind, port = os.environ.get("BENCH_SERVER", "skywatch"), int(os.environ["BENCH_PORT"])
    if kind == "skywatch":
        hardened(open_application()).run()
    elif kind == "waitress":
        import waitress

        waitress.serve(open_application(), host="127.0.0.1", port=port, threads=THREADS, _quiet=True)
    else:
        _gunicorn(open_application, port)


def _gunicorn(open_application: Callable[[], Any], port: int) -> None:
    from gunicorn.app.base import BaseApplication

    class Served(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            options = {"bind": f"127.0.0.1:{port}", "workers": 1, "worker_class": "gthread", "threads": THREADS}
            for name, value in {**options, "keepalive": 60, "loglevel": "error"}.items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            # In the worker: threads of the application do not survive a fork.
            return open_application()

    Served().run()
