"""The error codes of audio."""

from __future__ import annotations

from skywatch.core.problems import ProblemKind

RANGE_NOT_SATISFIABLE = ProblemKind("range_not_satisfiable", 416, "The range is not satisfiable")
