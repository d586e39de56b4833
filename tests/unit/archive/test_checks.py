"""What ``skywatch doctor`` says of the archive and of batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from skywatch.archive.batch import cluster
from skywatch.archive.checks import check
from skywatch.core.terminal.checks import Inspection
from skywatch.features import load
from tests.accounts import TEST_SECRET


def look(**settings):
    values = {"secret": TEST_SECRET, "database_url": "sqlite://", **settings}
    return [
        (finding.level, finding.part, finding.text) for finding in check(Inspection(Path("a.ini"), load(values), 1))
    ]


@pytest.mark.parametrize(("is_there", "words"), [(True, "or on a Dask cluster"), (False, "skywatch[batch]")])
def test_what_batch_can_run_on(tmp_path, monkeypatch, is_there, words):
    def require():
        if not is_there:
            raise cluster.ClusterError("")

    monkeypatch.setattr("skywatch.archive.checks.require_dask", require)
    level, part, text = look(archive_url=f"file://{tmp_path}")[-1]
    assert (level, part) == ("ok", "batch")
    assert words in text


def test_nothing_is_said_without_an_archive():
    assert look() == []
