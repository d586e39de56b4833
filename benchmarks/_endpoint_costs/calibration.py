"""The calibration loop, and what a request may cost as a multiple of it.

The loop is a fixed piece of the kind of work that a request does: dictionaries, sorting, JSON, text and hashing. Its
processor time on the reference machine, a quiet virtual machine with two cores of an AMD EPYC, is REFERENCE_MS. On
another machine, or under other load, the loop takes longer, and a request as many times longer: only their ratio is
judged.
"""

from __future__ import annotations

import hashlib
import json
import time

# Processor time of one loop on the reference machine with CPython 3.11.
REFERENCE_MS = 5.0
# What a request may cost there, and the same as a multiple of the loop.
ALLOWED_MS = 250.0
ALLOWED_RATIO = ALLOWED_MS / REFERENCE_MS
_ROWS = 1_000


def loop() -> str:
    """The work; returns its digest, which is the same everywhere."""
    rows = [{"hex": f"{row * 7919 % 0xFFFFFF:06x}", "alt": row * 37 % 41_000, "lat": row / 64} for row in range(_ROWS)]
    digest = hashlib.sha256()
    for _ in range(3):
        rows.sort(key=lambda row: (row["alt"], row["hex"]))
        text = json.dumps(rows)
        rows = json.loads(text)
        digest.update(text.encode())
        counts: dict[str, int] = {}
        for row in rows:
            letter = row["hex"][-1]
            counts[letter] = counts.get(letter, 0) + int(row["alt"])
        rows.reverse()
    return digest.hexdigest()


def loop_ms() -> float:
    """Processor time of one loop by this thread (ms)."""
    began = time.thread_time()
    loop()
    return 1000 * (time.thread_time() - began)
