"""Drawn ACARS messages: the forms and vocabulary of the air, invented aircraft, places and numbers."""

from __future__ import annotations

import random
from typing import Any

AIRPORTS = [f"K{a}{b}{c}" for a in "ABCDLMPS" for b in "AEHLNTX" for c in "ABDGKSXY"]
FIXES = [f"{a}{b}{c}{d}{e}" for a in "BDKLMR" for b in "AEIO" for c in "DKLNR" for d in "AEIO" for e in "DKLNR"]
_WORDS = """GATE FUEL WEATHER TURBULENCE LIGHT MODERATE REPORT POSITION REQUEST CLEARANCE DEPARTURE ARRIVAL DELAY CREW
MAINTENANCE CABIN DOOR PASSENGER MEDICAL CONNECTION RELEASE DISPATCH ALTERNATE RUNWAY WIND SNOW ICING CEILING
VISIBILITY ESTIMATE REVISED LANDING WEIGHT BAGS OXYGEN SEAT LAVATORY INOP WHEELCHAIR ADVISE PLEASE THANKS COPY
ROGER STAND BLOCK TAXI HOLD HOLDING DIVERT ATIS ALTIMETER BRAKING SPEED LEVEL CLIMB DESCENT REROUTE SQUAWK CAPTAIN
RADIO FREQUENCY CONTACT OPERATIONS LOAD CLOSEOUT CATERING WATER SERVICE TUG PUSHBACK DEICE PAD TIME ZULU LOCAL"""
WORDS = _WORDS.split()


class Texts:
    """A source of texts and of the envelopes around them; the same seed gives the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0

    def place(self) -> tuple[str, str]:
        """Degrees and minutes as position reports write them."""
        r = self._random
        return f"N{r.randint(30, 48)}{r.randint(0, 599):03d}", f"W{r.randint(75, 122):03d}{r.randint(0, 599):03d}"

    def text(self) -> tuple[str, str]:
        """A label and a text."""
        r = self._random
        lat, lon = self.place()
        origin, destination, fix, then = r.choice(AIRPORTS), r.choice(AIRPORTS), r.choice(FIXES), r.choice(FIXES)
        clock = f"{r.randint(0, 23):02d}{r.randint(0, 59):02d}{r.randint(0, 59):02d}"
        choice = r.random()
        if choice < 0.3:
            after = f"{clock[:4]}{r.randint(10, 59)}"
            return "H1", f"POS{lat}{lon},{fix},{clock},{r.randint(100, 410)},{then},{after},{fix},M52,278034,1481234"
        if choice < 0.4:
            route = "..".join(r.choice(FIXES) for _ in range(r.randint(3, 12)))
            return "H1", f"FPN/FNABC{r.randint(1, 9999)}/RP:DA:{origin}:AA:{destination}:F:{route}1A2B"
        if choice < 0.5:
            return r.choice(("QA", "QB", "QC", "QD")), f"{origin}{destination}{clock[:4]}"
        if choice < 0.6:
            return "16", f"{clock},{r.randint(10000, 41000)},0154, 184,N {lat[1:3]}.{lat[3:]},W{lon[1:4]}.{lon[4:]}"
        sentence = " ".join(r.choice(WORDS) for _ in range(r.randint(4, 24)))
        return r.choice(
            ("80", "4H", "10", "5Z")
        ), f"{origin}/{destination} {clock[:4]} {sentence} {r.randint(1, 99999)}"

    def envelope(self, at: float) -> dict[str, Any]:
        """An object as acarsdec or dumpvdl2 send it."""
        r = self._random
        self._number += 1
        label, text = self.text()
        tail, flight = f"N{100 + self._number % 900}AB", f"AB{self._number % 9000:04d}"
        block, number = str(self._number % 10), f"M{self._number % 100:02d}"
        if self._number % 2:
            return {
                "timestamp": at, "station_id": "NORTH", "channel": 1, "freq": 131.55, "level": -18.4, "error": 0,
                "mode": "2", "label": label, "block_id": block, "ack": "!", "tail": tail, "flight": flight,
                "msgno": f"{number}A", "text": text, "app": {"name": "acarsdec", "ver": "4.1"},
            }  # fmt: skip
        acars = {
            "err": False, "crc_ok": True, "more": False, "reg": f".{tail}", "mode": "2", "label": label,
            "blk_id": block, "ack": "!", "flight": flight, "msg_num": number, "msg_num_seq": "A", "msg_text": text,
        }  # fmt: skip
        avlc = {
            "src": {"addr": f"A{self._number % 0xFFFFF:05X}", "type": "Aircraft", "status": "Airborne"},
            "dst": {"addr": "1144AA", "type": "Ground station"}, "cr": "Command", "frame_type": "I", "rseq": 1,
            "sseq": 2, "poll": False, "acars": acars,
        }  # fmt: skip
        return {
            "vdl2": {
                "app": {"name": "dumpvdl2", "ver": "2.4.0"}, "station": "NORTH",
                "t": {"sec": int(at), "usec": round(at % 1 * 1e6)}, "freq": 136_975_000, "burst_len_octets": 152,
                "hdr_bits_fixed": 0, "octets_corrected_by_fec": 0, "idx": 0, "sig_level": round(r.uniform(-40, -5), 1),
                "noise_level": -44.8, "freq_skew": 0.3, "avlc": avlc,
            }
        }  # fmt: skip

    def heard_by(self, envelope: dict[str, Any], station: str) -> dict[str, Any]:
        """The same burst from another station."""
        if "vdl2" in envelope:
            return {"vdl2": {**envelope["vdl2"], "station": station}}
        return {**envelope, "station_id": station}
