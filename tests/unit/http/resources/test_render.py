"""Values of views become JSON: times in our form at any depth, members in their order."""

from datetime import UTC, datetime

from skywatch.http.resources.render import encode

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_times_are_written_wherever_they_stand_and_members_keep_their_order():
    value = {"b": 1, "at": AT, "a": [{"x": None, "times": (AT, 2.5)}, {"plain": True}], "nothing": {}}
    text = '"2026-01-31T12:00:00Z"'
    assert encode(value).decode() == (
        f'{{"b":1,"at":{text},"a":[{{"x":null,"times":[{text},2.5]}},{{"plain":true}}],"nothing":{{}}}}'
    )


def test_the_value_itself_stays_as_it_is():
    value = {"at": AT, "more": {"at": AT}}
    encode(value)
    assert value == {"at": AT, "more": {"at": AT}}
