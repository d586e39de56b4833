"""The settings of outputs."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class OutputSettings(Settings):
    """The settings of outputs."""

    outputs: dict[str, str] = setting(
        {},
        "an output for other programs: form and address, for example `beast 127.0.0.1:30005` or `sbs to host:30003`;"
        " readers need no credentials",
        name="output.*",
    )
