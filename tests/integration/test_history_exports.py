"""An export's memory does not grow with its length: each runs in a process of its own, through the real view."""

import pytest

from benchmarks._history import START, Copies, database, new_writer, record
from benchmarks._traffic import Traffic
from skywatch.history.exports import FORMATS
from tests.exporting import export

# The databases differ in how points are read, the formats in how they are written: text line by line, or row groups.
BY_DAY = {("sqlite", "csv"), ("sqlite", "parquet"), ("postgresql", "csv")}
AGAIN = pytest.mark.nightly("another format by the same two ways of writing")
CASES = [
    pytest.param(*case, marks=() if case in BY_DAY else AGAIN)
    for case in [*(("sqlite", name) for name in FORMATS), ("postgresql", "csv"), ("postgresql", "parquet")]
]
SECONDS, AIRCRAFT = 600, 200
SHORT, LONG = 75_000, 300_000
# What the length may cost, where the points alone are 9 MB more; Parquet's index of row groups is a part of it.
MAX_MORE_MB = 7.0


@pytest.fixture(scope="module")
def long_history(request, tmp_path_factory):
    """A database of LONG points, and the begin of its last SHORT ones (unix seconds)."""
    with database(request.param, tmp_path_factory.mktemp("exports")) as base:
        record(base, Traffic(AIRCRAFT, START), SECONDS, new_writer(base))
        copies = Copies(base, SECONDS)
        copies.make(LONG // copies.points)
        yield base.url, START - SHORT // copies.points * SECONDS, START - LONG // copies.points * SECONDS


@pytest.mark.timeout(300)
# By its scope the history is made once for all formats.
@pytest.mark.parametrize(("long_history", "format_"), CASES, indirect=["long_history"], scope="module")
def test_memory_does_not_grow_with_the_length(long_history, format_):
    url, recent, begin = long_history
    short, long = export(url, format_, START + SECONDS, recent, begin)
    assert long["bytes"] > 3 * short["bytes"]
    assert long["peak_mb"] - short["peak_mb"] < MAX_MORE_MB
