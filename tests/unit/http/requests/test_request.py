"""Views take requests whose members have types."""

import re
from pathlib import Path

import skywatch

SOURCES = Path(skywatch.__file__).parent
UNTYPED = re.compile(r"\brequest: Any\b|^from pyramid\.request import Request$", re.MULTILINE)


def test_no_view_takes_a_request_without_types():
    # The policy stands below ``http``, where the class of requests is declared.
    sources = [path for path in SOURCES.rglob("*.py") if path.parent.name != "security"]
    assert [str(path.relative_to(SOURCES)) for path in sources if UNTYPED.search(path.read_text("utf-8"))] == []
