"""Discovery for Home Assistant: one device, and for each published rule an event, a binary sensor and a count.

Aircraft are not entities: thousands would appear and disappear. See home-assistant.io/integrations/mqtt for the
documents.
"""

from __future__ import annotations

import json
import re
from typing import Any

from skywatch.core.process.version import VERSION
from skywatch.notify.hooks import RuleState

COMPONENTS = ("event", "binary_sensor", "sensor")
EVENT_TYPE = "triggered"


class Topics:
    """The topics of an installation below its prefix, and those of Home Assistant's discovery."""

    def __init__(self, prefix: str, discovery_prefix: str) -> None:
        self.prefix = prefix
        self.discovery_prefix = discovery_prefix
        self.node = re.sub(r"[^A-Za-z0-9_-]", "_", prefix)
        self.status = f"{prefix}/status"
        self.events = f"{prefix}/alerts"
        self.statistics = f"{prefix}/statistics"

    def state(self, rule_id: int | str) -> str:
        """Retained: name, whether any aircraft matches the rule, and how many do."""
        return f"{self.prefix}/rules/{rule_id}/state"

    def event(self, rule_id: int | str) -> str:
        """One message per alert."""
        return f"{self.prefix}/rules/{rule_id}/event"

    def discovery(self, component: str, rule_id: int | str) -> str:
        """The topic of Home Assistant's discovery for one entity of a rule."""
        return f"{self.discovery_prefix}/{component}/{self.node}/rule_{rule_id}/config"

    def of_rule(self, rule_id: int | str) -> list[str]:
        """All retained topics of a rule."""
        return [*(self.discovery(component, rule_id) for component in COMPONENTS), self.state(rule_id)]


def discovery_documents(topics: Topics, rule: RuleState) -> dict[str, str]:
    """Topic -> document of the three entities of a rule."""
    return {topics.discovery(component, rule.id): _document(topics, rule, component) for component in COMPONENTS}


def state_document(rule: RuleState) -> str:
    """The state of a rule."""
    state = {"name": rule.name, "active": "ON" if rule.active else "OFF", "count": rule.count}
    return json.dumps(state, ensure_ascii=False)


def _document(topics: Topics, rule: RuleState, component: str) -> str:
    unique_id = f"{topics.node}_rule_{rule.id}_{component}"
    document: dict[str, Any] = {
        "unique_id": unique_id,
        "object_id": unique_id,
        "availability_topic": topics.status,
        "payload_available": "online",
        "payload_not_available": "offline",
        "qos": 1,
        "device": {
            "identifiers": [topics.node],
            "name": "Skywatch" if topics.node == "skywatch" else f"Skywatch {topics.prefix}",
            "manufacturer": "Skywatch",
            "sw_version": VERSION,
        },
        "origin": {"name": "Skywatch", "sw_version": VERSION},
    }
    if component == "event":
        document |= {"name": f"{rule.name} alert", "state_topic": topics.event(rule.id), "event_types": [EVENT_TYPE]}
    elif component == "binary_sensor":
        document |= {
            "name": rule.name,
            "state_topic": topics.state(rule.id),
            "value_template": "{{ value_json.active }}",
            "payload_on": "ON",
            "payload_off": "OFF",
        }
    else:
        document |= {
            "name": f"{rule.name} count",
            "state_topic": topics.state(rule.id),
            "value_template": "{{ value_json.count }}",
            "unit_of_measurement": "aircraft",
            "state_class": "measurement",
        }
    return json.dumps(document, ensure_ascii=False)
