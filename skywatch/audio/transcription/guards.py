"""Rules over what engines return: guards against invented text, and words of distress.

Engines write sentences into noise, repeat themselves and give back their prompt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from skywatch.audio.transcription.engines.base import PROMPT, Segment

# Whisper's own thresholds (openai/whisper, transcribe.py).
NO_SPEECH, LOG_PROBABILITY, COMPRESSION = 0.6, -1.0, 2.4
# Faster than anybody speaks (characters a second), with some for rounded times.
FASTEST, SPARE_CHARACTERS = 30.0, 15
MAX_REPEATS, PHRASE_WORDS = 4, 6
# What the models learnt from subtitles.
PHANTOMS = frozenset(
    (
        "thank you", "thanks for watching", "thank you for watching", "thank you so much for watching",
        "please subscribe", "subtitles by the amara org community", "bye", "you", "the end",
        "subs by www zeoranger co uk", "transcription by castingwords", "music", "blank audio", "silence", "applause",
    )
)  # fmt: skip
# They may be an exercise, a name or an error of the engine.
DISTRESS_PHRASES = tuple(
    phrase.split()
    for phrase in (
        "mayday", "may day may day", "pan pan", "panpan", "declaring an emergency", "declare an emergency",
        "declaring emergency", "medical emergency", "fuel emergency", "minimum fuel", "engine failure", "engine fire",
        "engine out", "smoke in the cockpit", "smoke in the cabin", "hijack", "hijacked", "hijacking",
        "squawk seven seven zero zero", "squawk seven five zero zero", "squawk 7700", "squawk 7500",
        "squawking 7700", "squawking 7500", "bird strike", "rapid decompression", "emergency descent", "ditching",
    )
)  # fmt: skip
_WORDS = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORDS.findall(text.lower())


def believable(segments: Sequence[Segment]) -> tuple[list[Segment], str]:
    """The segments that were probably spoken, and why others were left out (empty where none were)."""
    accepted, why = [], ""
    for segment in segments:
        fault = _fault(segment)
        if fault:
            why = fault
        elif segment.text:
            accepted.append(segment)
    if accepted and _repeats(words_of(" ".join(segment.text for segment in accepted))):
        return [], "The engine repeated itself."
    return accepted, why


def _fault(segment: Segment) -> str:
    words = words_of(segment.text)
    if not words:
        return "The engine found no words."
    doubted = segment.no_speech is not None and segment.no_speech > NO_SPEECH
    if doubted and (segment.log_probability is None or segment.log_probability < LOG_PROBABILITY):
        return "The engine heard no speech."
    if segment.compression is not None and segment.compression > COMPRESSION:
        return "The engine repeated itself."
    if " ".join(words) in PHANTOMS:
        return "The engine wrote a phrase that it writes into noise."
    if _is_prompt(words):
        return "The engine gave back its prompt."
    if segment.end_s > segment.begin_s:
        longest = (segment.end_s - segment.begin_s) * FASTEST + SPARE_CHARACTERS
        if len(segment.text) > longest:
            return "The text is longer than anybody speaks in that time."
    return "The engine repeated itself." if _repeats(words) else ""


def _is_prompt(words: list[str]) -> bool:
    """Whether five words or more stand in the prompt in this order, or three or more are its beginning."""
    text, prompt = f" {' '.join(words)} ", f" {' '.join(words_of(PROMPT))} "
    return (len(words) >= 3 and prompt.startswith(text)) or (len(words) >= 5 and text in prompt)


def _repeats(words: list[str]) -> bool:
    """Whether a phrase of up to six words makes most of the text, again and again."""
    for size in range(1, PHRASE_WORDS + 1):
        phrases = Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
        if not phrases:
            return False
        _, count = phrases.most_common(1)[0]
        if count > MAX_REPEATS and count * size > len(words) * 0.6:
            return True
    return False


def has_distress(text: str) -> bool:
    """Whether a transcript holds words of distress."""
    words = words_of(text)
    return any(words[i : i + len(phrase)] == phrase for phrase in DISTRESS_PHRASES for i in range(len(words)))
