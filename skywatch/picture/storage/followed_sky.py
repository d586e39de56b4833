"""The leader's last sky as a saved picture: what a tracker that stood by goes on from when it takes over.

A sky does not say who said which part of an aircraft: what nobody doubts becomes the view of the receiver that the
position is of. What feeders said, which a sky does not name, becomes what several strangers agree on, or what a trusted
one says where ours hear the aircraft, too. What is in doubt becomes the view of a feeder that nobody knows, so that it
stays in doubt. Each feeder that goes on takes it over with its next report.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Set as AbstractSet

import msgspec
from msgspec import UNSET

from skywatch.picture.state.doubt import ALONE, EMERGENCY, GROUP_BITS, OURS_TOO, POSITION, SQUAWK
from skywatch.picture.state.fields import GROUPS, LIFETIME_S, MLAT_TRUST, TISB_TRUST
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.picture.state.sky import UNKNOWN_DOUBT, Sky
from skywatch.picture.storage.saved_picture import FORM, SavedBook, SavedPicture, SavedPosition
from skywatch.picture.storage.saved_reports import SavedReports, pack
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL, UNKNOWN
from skywatch.receivers.reports.receiver_names import FEEDERS, TRUSTED_FEEDERS, feeder_receiver
from skywatch.receivers.reports.report import Report

# Groups of fields that the sky has a time for, by the name of its column.
_TIMES = {
    "position": "position_at",
    "altitude": "altitude_at",
    "geometric altitude": "alt_geom_at",
    "velocity": "velocity_at",
    "vertical rate": "velocity_at",
    "callsign": "callsign_at",
    "squawk": "squawk_at",
    "resolution advisory": "acas_ra_at",
    "emergency": "emergency_at",
}
_COLUMN_OF = {name: _TIMES[group.name] for group in GROUPS if group.name in _TIMES for name in group.fields}
_FIELDS: dict[int, tuple[str, ...]] = {}
for _group in GROUPS:
    if _group.name in GROUP_BITS:
        _FIELDS[GROUP_BITS[_group.name]] = (*_FIELDS.get(GROUP_BITS[_group.name], ()), *_group.fields)
# The feeder of what is in doubt: which one it is, the sky does not say.
_UNKNOWN_FEEDER = feeder_receiver(0)
_VOICES = {FEEDERS: SEVERAL, _UNKNOWN_FEEDER: UNKNOWN}
_decoder = msgspec.json.Decoder(Report)


def saved_from(sky: Sky) -> SavedPicture:
    """What ``Picture.restore`` takes."""
    columns = {name: column.tolist() for name, column in sky.columns.items()}
    views: dict[str, list[ReceiverView]] = defaultdict(list)
    positions, confirmed = {}, []
    simulators: set[str] = set()
    doubt_by_row = sky.doubt_by_row().tolist()
    for row, address in enumerate(sky.hexes):
        values = {name: column[row] for name, column in columns.items()}
        receiver = sky.receivers[values["receiver"]]
        report, doubt = _decoder.decode(sky.body(row, details=True)), doubt_by_row[row]
        if values["single_source"] or doubt & ALONE:
            if not values["single_source"] and doubt != UNKNOWN_DOUBT:
                confirmed.append(address)
            receiver, doubt = _UNKNOWN_FEEDER, 0
        elif receiver == FEEDERS and doubt & OURS_TOO:
            receiver = TRUSTED_FEEDERS
        if doubtful := _doubtful(report, doubt):
            views[_UNKNOWN_FEEDER].append(_view(_part(report, doubtful), values))
            report = _without(report, doubtful)
        views[receiver].append(_view(report, values))
        if values["simulated"]:
            simulators.add(receiver)
        if not math.isnan(values["lat"]):
            place = values["lat"], values["lon"], values["position_at"]
            source = _UNKNOWN_FEEDER if doubt & POSITION else receiver
            positions[address] = SavedPosition(*place, _position_trust(values), source)
    books = [
        SavedBook(receiver, SavedReports(0, {}), pack(of_receiver), _VOICES.get(receiver, OURS), receiver in simulators)
        for receiver, of_receiver in views.items()
    ]
    first_seen = dict(zip(sky.hexes, columns["first_seen"], strict=True))
    return SavedPicture(FORM, sky.now, first_seen, positions, books, confirmed)


def _doubtful(report: Report, doubt: int) -> AbstractSet[str]:
    """The fields that have a value and are in doubt."""
    if doubt & SQUAWK and report.emergency in (UNSET, "none"):
        # Marked beside the squawk.
        doubt &= ~EMERGENCY
    names = (name for bit, fields in _FIELDS.items() if doubt & bit for name in fields)
    return {name for name in names if getattr(report, name) is not UNSET}


def _part(report: Report, names: AbstractSet[str]) -> Report:
    """A report that says these fields alone."""
    part = Report(report.hex, type=report.type, **{name: getattr(report, name) for name in names})
    for source in ("mlat", "tisb"):
        if (listed := getattr(report, source)) is not UNSET:
            setattr(part, source, [name for name in listed if name in names])
    return part


def _without(report: Report, names: AbstractSet[str]) -> Report:
    """A report that says everything but these fields."""
    rest = msgspec.structs.replace(report, **dict.fromkeys(names, UNSET))
    for source in ("mlat", "tisb"):
        if (listed := getattr(report, source)) is not UNSET:
            setattr(rest, source, [name for name in listed if name not in names])
    return rest


def _position_trust(values: dict[str, float]) -> int:
    if values["mlat"]:
        return MLAT_TRUST
    return TISB_TRUST if values["tisb"] else int(values["source"])


def _view(report: Report, values: dict[str, float]) -> ReceiverView:
    """The view of an aircraft whose values in the columns are these."""
    view = ReceiverView(**msgspec.structs.asdict(report))
    view.seen = view.seen_pos = UNSET
    view.at = view.type_at = values["seen_at"]
    view.position_at = 0.0 if view.lat is UNSET else values["position_at"]
    for name, lifetime_s in LIFETIME_S.items():
        if getattr(view, name) is UNSET:
            continue
        at = values[_COLUMN_OF[name]] if name in _COLUMN_OF else math.nan
        trust = _position_trust(values) if name in ("lat", "lon") else int(values["source"])
        frames = int(values["acas_ra_frames"]) if name == "acas_ra" else 0
        state = view.heard[name] = FieldState(values["seen_at"] if math.isnan(at) else at, trust, frames)
        view.expires_at = min(view.expires_at, state.at + lifetime_s)
    return view
