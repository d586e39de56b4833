"""Operations of small features, from the ``SLICE`` of each."""

from tests.functional.access.table import Row
from tests.functional.slices import slices

ROWS = tuple(
    Row(method, f"/api/v1{path}", needs)
    for one in slices()
    for (method, path), needs in ((one.path_of(name), needs) for name, needs in one.operations.items())
)
