"""The metrics of ACARS messages."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter

ACARS_MESSAGES = counter("skywatch_acars_messages_total", "ACARS messages stored", "source", "military")
ACARS_MERGED = counter("skywatch_acars_merged_total", "Bursts that were part of a message already received", "how")
ACARS_FAULTS = counter("skywatch_acars_decoding_faults_total", "Forms that failed on a text", "form")
