"""The dashboard and the alert rules of the manual name only metrics that the service has."""

import json
import re
from pathlib import Path

import pytest

from skywatch.core.telemetry import metrics
from skywatch.features import FEATURES
from skywatch.history import monitor as history
from skywatch.picture.metrics import MONITOR_ERRORS
from skywatch.picture.tracker import Tracker

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "monitoring"
FEATURES.load_metrics()
SERIES = {
    name
    for metric in metrics.REGISTRY.collect()
    for name in (metric.name, f"{metric.name}_total", f"{metric.name}_bucket", f"{metric.name}_count")
}


@pytest.mark.parametrize("name", ["grafana-dashboard.json", "prometheus-alerts.yml"])
def test_every_metric_named_is_one_of_ours(name):
    text = (FOLDER / name).read_text()
    named = set(re.findall(r"\b(skywatch_[a-z_]+|process_[a-z]+_[a-z_]+)\b", text))
    assert len(named) > 8
    assert named <= SERIES


def test_the_dashboard_shows_every_metric_of_its_own_once():
    dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids)) > 15
    assert all(panel["targets"][0]["expr"] for panel in dashboard["panels"])


def test_every_metric_is_in_the_manual():
    manual = (FOLDER.parent / "reference" / "metrics.md").read_text()
    names = {metric.name for metric in metrics.REGISTRY.collect()} - {None}
    assert {name for name in names if name.startswith("skywatch_")} <= {
        name.removesuffix("_total") for name in re.findall(r"`(skywatch_\w+)", manual)
    }


def test_what_alerts_watch_grow_is_there_before_the_first_fault(make_runtime):
    metrics.DATABASE_WRITE_ERRORS.clear()
    MONITOR_ERRORS.clear()
    runtime = make_runtime()
    Tracker(runtime, [history.create(runtime)], [])
    for name, labels in (("database_write_errors", {"writer": "history"}), ("monitor_errors", {"monitor": "history"})):
        assert metrics.REGISTRY.get_sample_value(f"skywatch_{name}_total", labels) == 0
