"""Sends drawn ACARS bursts as datagrams: ``python -m benchmarks._acars_sender PORT RATE SECONDS``."""

from __future__ import annotations

import json
import socket
import sys
import time

from benchmarks._acars_texts import Texts

# Of the bursts, one in five is received by a second station and one in fifty comes again.
SECOND_STATION, AGAIN = 5, 50


def main(port: int, rate: float, seconds: float) -> None:
    """Print what was sent as JSON."""
    texts, sending = Texts(7), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sent = messages = 0
    began = time.monotonic()
    while sent < rate * seconds:
        pause = began + sent / rate - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        envelope = texts.envelope(time.time())
        messages += 1
        copies = [envelope]
        if messages % SECOND_STATION == 0:
            copies.append(texts.heard_by(envelope, "SOUTH"))
        if messages % AGAIN == 0:
            copies.append(envelope)
        for copy in copies:
            sending.sendto(json.dumps(copy).encode(), ("127.0.0.1", port))
            sent += 1
    print(json.dumps({"sent": sent, "messages": messages, "took_s": time.monotonic() - began}))


main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
