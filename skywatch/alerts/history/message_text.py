"""The message of an alert: the rule's template, or the rule's name and the aircraft."""

from __future__ import annotations

from skywatch.alerts.conditions.templates import render
from skywatch.alerts.engine.rule import NOBODY, Fired
from skywatch.picture.state.doubt import SINGLE_SOURCE_WORDS, UNCONFIRMED_WORDS
from skywatch.sentences import sentence


def message_of(change: Fired, *, name: str, priority: str, template: str | None) -> str:
    """The message of an alert; templates may use the aircraft, the tested values, and the rule."""
    text = _text(change, name, priority, template)
    if not change.doubt:
        return text
    return sentence("alerts.doubted", "{text} ({doubt})", text=text, doubt=change.doubt)


def without_values(message: str, name: str) -> str:
    """What is left of a message of a rule for those who may not know a value in it."""
    doubts = (_in_brackets(words) for words in (SINGLE_SOURCE_WORDS, UNCONFIRMED_WORDS))
    return name + next((words for words in doubts if message.endswith(words)), "")


def _in_brackets(words: str) -> str:
    return f" ({words})"


def _text(change: Fired, name: str, priority: str, template: str | None) -> str:
    values = {
        **{entry["field"]: entry["actual"] for entry in change.matched if "actual" in entry},
        **change.aircraft,
        "rule_name": name,
        "priority": priority,
        "count": change.count,
        "geofence": change.geofence,
    }
    if template:
        return render(template, values)
    if change.count is not None:
        return sentence("alerts.counted", "{name}: {count} aircraft", name=name, count=change.count)
    if change.address == NOBODY:
        values_of = ", ".join(str(entry["value"]) for entry in change.matched)
        return sentence("alerts.subject", "{name}: {subject}", name=name, subject=values_of)
    subject = change.aircraft.get("flight") or change.aircraft.get("r") or change.address.upper()
    if change.geofence:
        return sentence(
            "alerts.subject_in", "{name}: {subject} in {geofence}", name=name, subject=subject, geofence=change.geofence
        )
    return sentence("alerts.subject", "{name}: {subject}", name=name, subject=subject)
