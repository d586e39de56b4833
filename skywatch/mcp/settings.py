"""The setting of the Model Context Protocol."""

from __future__ import annotations

import dataclasses
from importlib.util import find_spec

from skywatch.settings import Settings, SettingsError, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class McpSettings(Settings):
    """The setting of the Model Context Protocol."""

    mcp_enabled: bool = setting(False, "answer assistants at /mcp (Model Context Protocol)")

    def check(self) -> None:
        """Refuse to start without the package."""
        if self.mcp_enabled and find_spec("mcp_types") is None:
            raise SettingsError("mcp_enabled", "needs the extra: pip install 'skywatch[mcp]'")
