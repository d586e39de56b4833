"""Questions of assistants: what a tool costs in addition to its call."""

from __future__ import annotations

from typing import Any

from benchmarks._endpoint_costs.ask import Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry
from benchmarks._endpoint_costs.installation import Installation


def _message(what: str, method: str, params: dict[str, Any]) -> Entry:
    def ask(installation: Installation) -> Ask:
        installation.forget()
        return Ask("/mcp", json_bytes({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))

    return Entry(what, ask)


ENTRIES: Entries = {
    "POST /mcp": [
        _message("the list of tools", "tools/list", {}),
        _message("1,000 aircraft, cut", "tools/call", {"name": "list_aircraft", "arguments": {"limit": 1000}}),
        _message("members of all answers", "resources/read", {"uri": "skywatch://fields"}),
    ],
}
