"""A document that is polled: taken, and let go."""

from __future__ import annotations

import asyncio
import weakref
from types import SimpleNamespace

import pytest

from skywatch.receivers.kinds.polling_receiver import Poller


class Document(SimpleNamespace):
    """What a source has fetched."""


class SourceIsOver(Exception):
    """Ends a poller."""


def test_a_document_is_let_go_before_the_next_one_is_fetched():
    taken, left = [], []

    async def fetch():
        left.append([reference() is not None for reference in taken])
        if len(taken) == 3:
            raise SourceIsOver
        return Document()

    def take(fetched):
        taken.append(weakref.ref(fetched))
        return True

    owner = SimpleNamespace(set_connected=lambda: None)
    with pytest.raises(SourceIsOver):
        asyncio.run(Poller(owner).run(fetch, take, 0.001))
    assert left == [[False] * number for number in range(4)]
