"""Figures of several processes come out on one page that Prometheus' own parser reads."""

from prometheus_client.parser import text_string_to_metric_families

from skywatch.core.telemetry import metrics
from skywatch.picture.metrics import TICK_SECONDS


def samples(page, name):
    families = text_string_to_metric_families(page.decode())
    return {tuple(sorted(s.labels.items())): s.value for f in families for s in f.samples if s.name == name}


def test_the_page_holds_every_process_apart():
    metrics.RETENTION_ROWS.labels("test_kind").inc(3)
    figures = metrics.export()
    page = metrics.exposition({"api@a:1": figures, "tracker@a:2": figures})
    found = samples(page, "skywatch_retention_rows_total")
    assert found[(("kind", "test_kind"), ("process", "api@a:1"))] == 3
    assert found[(("kind", "test_kind"), ("process", "tracker@a:2"))] == 3
    assert page.count(b"# TYPE skywatch_retention_rows_total counter") == 1


def test_histograms_keep_their_infinite_bucket():
    TICK_SECONDS.observe(0.003)
    page = metrics.exposition({"p": metrics.export()})
    found = samples(page, "skywatch_tick_duration_seconds_bucket")
    assert found[(("le", "+Inf"), ("process", "p"))] >= found[(("le", "0.005"), ("process", "p"))] >= 1


def test_what_another_version_sent_does_not_break_the_page():
    assert metrics.exposition({"old": b"{}"}) == b""
