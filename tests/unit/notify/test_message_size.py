"""Bodies of notifications: whole up to the greatest size that receivers take, cut beyond it."""

import msgspec
import pytest

from skywatch.core.clock import utcnow
from skywatch.notify import messages
from skywatch.notify.models import Delivery

EMPTY = {"id": 1, "note": ""}


def document(body):
    now = utcnow()
    delivery = Delivery(event="alert.triggered", title="Title", text="Text", priority="info", body=body, at=now)
    return messages.compose([delivery], "msg_1", now).document


@pytest.mark.parametrize(("more", "is_cut"), [(0, False), (1, True)])
def test_a_body_of_the_greatest_size_goes_out_whole(more, is_cut):
    room = messages.MAX_BYTES - len(document(EMPTY))
    whole = document({**EMPTY, "note": "x" * (room + more)})
    assert ("truncated" in msgspec.json.decode(whole)["data"]) is is_cut
    assert len(whole) <= messages.MAX_BYTES
