"""Rules on messages of aircraft that are not in the sky: nothing is known of them but what the message says."""

from __future__ import annotations

import pytest

from skywatch.alerts.conditions.tree import parse
from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.rule import Rule
from skywatch.picture.state.sky import empty_sky
from skywatch.receivers.reports.report import SOURCE_INDEX

LABEL = {"field": "acars_label", "op": "eq", "value": "H1"}
FIRST_SOURCE = min(SOURCE_INDEX, key=SOURCE_INDEX.__getitem__)


@pytest.mark.parametrize(
    ("also", "fires"),
    [
        (None, True),
        ({"field": "receiver", "op": "eq", "value": "attic"}, False),
        ({"field": "source", "op": "eq", "value": FIRST_SOURCE}, False),
    ],
)
def test_neither_receiver_nor_source_is_taken_from_the_sky(also, fires):
    node, faults = parse({"all": [LABEL, *([also] if also else [])]})
    assert node is not None, faults
    engine = Engine()
    engine.install(RuleSet((Rule(1, 1, node, for_s=0.0),)), 0.0)
    message = AircraftMessage("4b16ee", 2.0, {"acars_label": "H1"})
    changes = engine.tick(empty_sky(now=1.0, receivers=("attic",)), [message])
    assert bool(changes) is fires
