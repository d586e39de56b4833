"""Writes the OpenAPI document of the application as it is in this tree. Usage: python web/document.py FILE"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from skywatch import make_app
from skywatch.core.process.version import VERSION
from skywatch.core.runtime import Runtime
from skywatch.features import FEATURES, load
from skywatch.http.openapi.document import document


def main(path: str) -> None:
    """Write the document, which needs no service and no database."""
    runtime = Runtime.open(load({"environment": "development", "database_url": "sqlite://"}, {}))
    try:
        services = make_app(runtime).registry.cornice_services.values()
    finally:
        runtime.close()
    Path(path).write_text(json.dumps(document(services, VERSION, FEATURES)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
