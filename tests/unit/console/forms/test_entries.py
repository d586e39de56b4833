"""How the fields of a form become what the API's schemas take, and what is shown of them when they are refused."""

import colander
import pytest

from skywatch.console.forms.entries import Entries, fields_of
from skywatch.core.problems import Problem, invalid_fields
from skywatch.core.storage.versions import Stale, is_version, version_of
from skywatch.http.resources.schema import JsonBoolean, JsonInteger, JsonList, JsonNumber, JsonString, Nullable, Schema
from skywatch.sentences import sentence


class Example(Schema):
    name = colander.SchemaNode(JsonString())
    count = colander.SchemaNode(JsonInteger(), missing=colander.drop)
    ratio = colander.SchemaNode(JsonNumber(), missing=colander.drop)
    limit = colander.SchemaNode(Nullable(JsonInteger()), missing=colander.drop)
    note = colander.SchemaNode(JsonString(multiline=True), missing=colander.drop)
    is_on = colander.SchemaNode(JsonBoolean(), missing=colander.drop)
    tags = colander.SchemaNode(JsonList(), colander.SchemaNode(JsonString()), missing=colander.drop)


def test_text_becomes_what_the_schema_takes():
    sent = {"name": "a", "count": " 12 ", "ratio": "-1.5", "limit": "", "note": "a\r\nb", "is_on": True, "tags": ["x"]}
    assert fields_of(Example(), Entries(sent)) == {
        "name": "a",
        "count": 12,
        "ratio": -1.5,
        "limit": None,
        "note": "a\nb",
        "is_on": True,
        "tags": ["x"],
    }


def test_only_fields_that_may_be_left_out_are():
    entries = Entries({"name": "", "note": "", "count": ""})
    assert fields_of(Example(), entries, blank=("note", "count")) == {"name": ""}
    with pytest.raises(Problem) as refused:
        fields_of(Example(), entries)
    assert [fault["name"] for fault in refused.value.errors] == ["count"]


@pytest.mark.parametrize("text", ["1e400", "nan", ".", "-", "1,5", "١٢", "0x10", "9" * 30])
def test_what_is_no_number_is_named_as_a_fault(text):
    with pytest.raises(Problem) as refused:
        fields_of(Example(), Entries({"name": "a", "count": text, "ratio": text}))
    assert "count" in {fault["name"] for fault in refused.value.errors}


def test_faults_stand_at_their_field():
    entries = Entries({"tags": ["x"]}).refused(invalid_fields({"tags.0": "is bad", "tagsy": "is worse"}))
    assert (entries.fault("tags"), entries.fault("name")) == ("is bad", "")


def test_a_stale_form_shows_what_is_stored_next_to_what_was_entered():
    stored = Entries({"name": "theirs", "note": "same"}, version_of("now"))
    again = Entries({"name": "mine", "note": "same"}, version_of("then")).refused(
        Stale(sentence("form.stale", "changed")), stored
    )
    assert (again.value("name"), again.other("name"), again.other("note")) == ("mine", "theirs", None)
    assert is_version(again.version, "now")
    refused = Entries({"name": "mine"}, "v").refused(Problem("conflict", sentence("test.taken", "taken")), stored)
    assert (refused.version, refused.other("name")) == ("v", None)
