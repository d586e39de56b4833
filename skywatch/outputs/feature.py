"""The feature declaration of outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import InputFamily, Service
from skywatch.outputs.settings import OutputSettings

if TYPE_CHECKING:
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.inputs.base import Input


def _create_sender(runtime: Runtime) -> RunningService:
    from skywatch.outputs.output_service import create

    return create(runtime)


def _create_ingest(runtime: Runtime) -> RunningService:
    from skywatch.outputs.ingest import create

    return create(runtime)


def _open_output(runtime: Runtime, name: str, text: str) -> Input:
    from skywatch.outputs.factory import open_output

    return open_output(runtime, name, text)


FEATURE = Feature(
    name="outputs",
    settings=OutputSettings,
    provides=(
        Service(role="tracker", create=_create_sender),
        Service(role="ingest", create=_create_ingest),
        InputFamily(prefix="output.", title="Output for other programs", open=_open_output),
    ),
)
