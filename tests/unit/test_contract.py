"""The check of every answer in the functional tests: it finds what the document does not allow."""

import pytest

from tests.contract import CheckedApp, ContractBroken

DOCUMENT = {
    "paths": {"/things/{id}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {}}}}}}}},
    "components": {
        "schemas": {
            "Thing": {"type": "object", "properties": {"of": {"$ref": "#/components/schemas/Kind"}}},
            "Kind": {"type": "string", "enum": ["one", "other"]},
        }
    },
}
# Stays as long as the process: validators are kept by the identity of their schema.
THING = {"$ref": "#/components/schemas/Thing"}


class Answer:
    def __init__(self, document):
        self.json = document


@pytest.mark.parametrize("document", [{"of": "third"}, {"of": 1}, []])
def test_what_the_document_does_not_allow_is_found_behind_references(document):
    checked = CheckedApp.__new__(CheckedApp)
    checked.__dict__["document"] = DOCUMENT
    checked._validate(THING, Answer({"of": "one"}), "GET /things/1")
    with pytest.raises(ContractBroken, match="GET /things/1 breaks its schema"):
        checked._validate(THING, Answer(document), "GET /things/1")
