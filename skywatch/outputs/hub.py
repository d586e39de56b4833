"""``Hub``: where frames and ticks meet the outputs of this process (``runtime.shared``); all on the tracker's loop."""

from __future__ import annotations

import numpy as np

from skywatch.core.runtime import Runtime
from skywatch.outputs import forms
from skywatch.outputs.feeder import Feeder, Reader
from skywatch.picture.state.sky import Sky
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.frames import Column, FrameBatch

FRAME_FORMS = {"beast": forms.beast, "raw": forms.raw}
FORMS = (*FRAME_FORMS, "json-lines", "sbs")


class Hub:
    """The outputs that run; without any, ticks and frames cost one comparison each."""

    def __init__(self, runtime: Runtime) -> None:
        self._tap = runtime.shared(FrameTap)
        self._outputs: list[Feeder] = []
        self._civil: frozenset[str] = frozenset()
        self._last_at = 0.0

    def add(self, output: Feeder) -> None:
        """Send to this output from now on."""
        if output.form in FRAME_FORMS and not self._has_frame_outputs:
            self._tap.add(self._on_frames)
        self._outputs.append(output)

    def remove(self, output: Feeder) -> None:
        """Send nothing more."""
        self._outputs.remove(output)
        if output.form in FRAME_FORMS and not self._has_frame_outputs:
            self._tap.remove(self._on_frames)

    @property
    def _has_frame_outputs(self) -> bool:
        return any(output.form in FRAME_FORMS for output in self._outputs)

    def on_tick(self, sky: Sky) -> None:
        """Send the picture, and heartbeats to readers that get nothing."""
        if not self._outputs:
            return
        if any(not output.selection.military for output in self._outputs):
            military = sky.columns["military"].tolist()
            self._civil = frozenset(address for address, hidden in zip(sky.hexes, military, strict=True) if not hidden)
        for output in self._outputs:
            if output.form not in FRAME_FORMS:
                self._send_picture(output, sky)
            output.send_heartbeats()
        self._last_at = sky.now

    def _send_picture(self, output: Feeder, sky: Sky) -> None:
        """What was heard since the last tick; to a new reader everything that is known."""
        new = [reader for reader in output.readers if reader.is_new]
        others = [reader for reader in output.readers if not reader.is_new]
        if not new and not others:
            return
        chosen = output.selection.of_sky(sky)
        if new:
            _send_rows(output, sky, np.flatnonzero(chosen), 0.0, new)
        if others:
            # A clock that was set backwards must not silence the output.
            since = self._last_at if self._last_at <= sky.now else 0.0
            _send_rows(output, sky, np.flatnonzero(chosen & (sky.columns["seen_at"] > since)), since, others)

    def _on_frames(self, frames: FrameBatch, addresses: Column, non_icao: Column, sources: Column) -> None:
        for output in self._outputs:
            if output.form not in FRAME_FORMS or not output.readers:
                continue
            chosen = frames
            if not output.selection.military or output.selection.sources:
                chosen = frames[output.selection.of_frames(self._civil, addresses, non_icao, sources)]
            if len(chosen):
                output.send(FRAME_FORMS[output.form](chosen), len(chosen))


def _send_rows(output: Feeder, sky: Sky, rows: forms.Rows, since: float, readers: list[Reader]) -> None:
    if len(rows):
        data = forms.sbs(sky, rows, since) if output.form == "sbs" else forms.json_lines(sky, rows)
        output.send(data, data.count(b"\n"), readers)
