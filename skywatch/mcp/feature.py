"""The declaration of the feature mcp."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.core.problems import ProblemKind
from skywatch.mcp.settings import McpSettings

FEATURE = Feature(
    name="mcp",
    include="skywatch.mcp",
    settings=McpSettings,
    problems=(ProblemKind("not_acceptable", 406, "The client does not accept the form of the answer"),),
    tags={"mcp": "Questions of assistants, by the Model Context Protocol."},
)
