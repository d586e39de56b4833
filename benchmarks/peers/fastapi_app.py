"""The aircraft list by FastAPI: from dictionaries, as its users write it, and from ready bytes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response

BODY = Path(os.environ["BENCH_BODY"]).read_bytes()
PICTURE = json.loads(BODY)
app = FastAPI()


@app.get("/dicts")
def dicts(limit: int = 100) -> dict[str, Any]:
    return PICTURE


@app.get("/bytes")
def ready(limit: int = 100) -> Response:
    return Response(BODY, media_type="application/json")


@app.get("/async-bytes")
async def ready_async(limit: int = 100) -> Response:
    return Response(BODY, media_type="application/json")
