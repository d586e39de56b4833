"""Words of distress. They mark a transmission; they may be an exercise, a name or an error of the engine."""

from __future__ import annotations

from skywatch.audio.transcription.guards import words_of

PHRASES = tuple(
    phrase.split()
    for phrase in (
        "mayday", "may day may day", "pan pan", "panpan", "declaring an emergency", "declare an emergency",
        "declaring emergency", "medical emergency", "fuel emergency", "minimum fuel", "engine failure", "engine fire",
        "engine out", "smoke in the cockpit", "smoke in the cabin", "hijack", "hijacked", "hijacking",
        "squawk seven seven zero zero", "squawk seven five zero zero", "squawk 7700", "squawk 7500",
        "squawking 7700", "squawking 7500", "bird strike", "rapid decompression", "emergency descent", "ditching",
    )
)  # fmt: skip


def has_distress(text: str) -> bool:
    """Whether a transcript holds words of distress."""
    words = words_of(text)
    return any(words[i : i + len(phrase)] == phrase for phrase in PHRASES for i in range(len(words)))
