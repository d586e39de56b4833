"""Transcription: a queue of transmissions in the worker role, an engine, and rules over what the engine returns."""
