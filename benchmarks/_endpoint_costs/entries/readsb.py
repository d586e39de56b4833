"""The addresses of programs that were written for readsb."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchmarks._endpoint_costs.ask import Ask
from benchmarks._endpoint_costs.entry import Entries, Entry
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.past import STAYING
from benchmarks._endpoint_costs.picture import WATCHED
from skywatch.core.runtime import runtime_of
from skywatch.readsb.tar1090.outline import range_outline
from skywatch.readsb.tar1090.past_pictures import readsb_pictures

WORLD = "/v2/lat/47/lon/8/dist/10000"


def live(what: str, path: str, **kw: object) -> Entry:
    """A request whose answer is made of the picture."""

    def ask(installation: Installation) -> Ask:
        installation.forget()
        return Ask(path)

    return Entry(what, ask, **kw)  # type: ignore[arg-type]


def of_past(what: str, path: str) -> Entry:
    """A request for what was recorded some hours ago, at another time of day each time."""

    def ask(installation: Installation) -> Ask:
        at = datetime.now(UTC) - timedelta(hours=2, minutes=30 * installation.number() % (12 * 60))
        half_hour = at.hour * 2 + at.minute // 30
        return Ask(path.format(day=f"{at:%Y/%m/%d}", half_hour=f"{half_hour:02}"))

    return Entry(what, ask)


def one_picture(what: str) -> Entry:
    """A picture of the last hour, each time of another part of it."""

    def ask(installation: Installation) -> Ask:
        runtime_of(installation.application.registry).shared(readsb_pictures).__init__()
        return Ask("/data/history_10.json")

    return Entry(what, ask)


def outline(installation: Installation) -> Ask:
    """The outline of a day of which nothing was read before."""
    runtime_of(installation.application.registry).shared(range_outline).__init__()
    return Ask("/data/outline.json")


HEXES = ",".join(f"{0x4B0000 + number:06x}" for number in range(1000))

ENTRIES: Entries = {
    "GET /data/aircraft.json": [live("all aircraft", "/data/aircraft.json")],
    "GET /data/aircraft.binCraft": [live("all aircraft", "/data/aircraft.binCraft")],
    "GET /data/aircraft.binCraft.zst": [live("all aircraft", "/data/aircraft.binCraft.zst")],
    "GET /data/receiver.json": [live("as it is", "/data/receiver.json")],
    "GET /data/stats.json": [live("as it is", "/data/stats.json")],
    "GET /data/history_{number}.json": [one_picture("a picture of the last hour, read with its ten minutes")],
    "GET /data/outline.json": [Entry("a day that nobody has asked for", outline)],
    "GET /data/traces/{folder}/trace_full_{icao_hex}.json": [
        live("a day of one aircraft", f"/data/traces/{STAYING[-2:]}/trace_full_{STAYING}.json"),
    ],
    "GET /data/traces/{folder}/trace_recent_{icao_hex}.json": [
        live("a full trail", f"/data/traces/{WATCHED[-2:]}/trace_recent_{WATCHED}.json"),
    ],
    "GET /globe_history/{year}/{month}/{day}/heatmap/{half_hour}.bin.ttf": [
        of_past("half an hour of all aircraft", "/globe_history/{day}/heatmap/{half_hour}.bin.ttf"),
    ],
    "GET /globe_history/{year}/{month}/{day}/traces/{folder}/trace_full_{icao_hex}.json": [
        of_past("a day of one aircraft", f"/globe_history/{{day}}/traces/{STAYING[-2:]}/trace_full_{STAYING}.json"),
    ],
    "GET /re-api/": [
        live("all aircraft", "/re-api/?all"),
        live("all aircraft in a circle, as v2", "/re-api/?circle=47,8,12000&jv2"),
        live("1,000 addresses", f"/re-api/?find_hex={HEXES}"),
        live("all aircraft of some marks", "/re-api/?all&filter_mil&filter_pia&filter_ladd&filter_interesting"),
    ],
    "GET /v2/all": [live("all aircraft", "/v2/all")],
    "GET /v2/lat/{lat}/lon/{lon}/dist/{radius}": [live("all aircraft", WORLD)],
    "GET /v2/point/{lat}/{lon}/{radius}": [live("all aircraft", "/v2/point/47/8/10000")],
    "GET /v2/closest/{lat}/{lon}/{radius}": [live("the closest of all", "/v2/closest/47/8/10000")],
    "GET /v2/callsign/{text}": [live("1,000 callsigns", f"/v2/callsign/{HEXES.replace('4b', 'SWR')}")],
    "GET /v2/hex/{text}": [live("1,000 addresses", f"/v2/hex/{HEXES}")],
    "GET /v2/icao/{text}": [live("1,000 addresses", f"/v2/icao/{HEXES}")],
    "GET /v2/reg/{text}": [live("1,000 registrations", f"/v2/reg/{HEXES.replace('4b', 'HB-')}")],
    "GET /v2/registration/{text}": [
        live("1,000 registrations", f"/v2/registration/{HEXES.replace('4b', 'HB-')}"),
    ],
    "GET /v2/type/{text}": [live("all aircraft of a type", "/v2/type/A320")],
    "GET /v2/sqk/{text}": [live("all aircraft with a squawk", "/v2/sqk/1000")],
    "GET /v2/squawk/{text}": [live("all aircraft with a squawk", "/v2/squawk/1000")],
    "GET /v2/mil": [live("all military aircraft", "/v2/mil")],
    "GET /v2/ladd": [live("the marks of all aircraft", "/v2/ladd")],
    "GET /v2/pia": [live("the marks of all aircraft", "/v2/pia")],
}
