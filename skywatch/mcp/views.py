"""``POST /mcp``: messages of the Model Context Protocol over streamable HTTP, without sessions or streams."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.http.clients.origins import allowed_origins
from skywatch.http.openapi.document import PROBLEM
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import UNSET, Fields, UnsetType, body_of
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.schema import JsonInteger, JsonObject, JsonString, Schema, choice_node, node, text_node
from skywatch.http.resources.service import ApiService
from skywatch.mcp.feature import FEATURE
from skywatch.mcp.settings import McpSettings
from skywatch.security.permissions import ViewPermission
from skywatch.sentences import sentence

MAX_ID = 2**53
MAX_ID_LENGTH = 128
mcp = ApiService("mcp", "/mcp", feature=None, absolute=True)


class MessageId(JsonString):
    """The id of a request: a short text or a whole number."""

    expected = sentence(
        "mcp.message_id", "must be a whole number or a text of up to {most} characters", most=MAX_ID_LENGTH
    )

    def accept(self, value: Any) -> bool:
        """Whether it is one."""
        if isinstance(value, str):
            return len(value) <= MAX_ID_LENGTH
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MAX_ID

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The id as it is; raises colander.Invalid."""
        return cstruct if isinstance(cstruct, int) and self.accept(cstruct) else super().deserialize(node, cstruct)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Either."""
        return {"type": ["integer", "string"], "maxLength": MAX_ID_LENGTH}


class McpMessageFields(Fields):
    """One request or notification."""

    jsonrpc: str
    method: str
    id: int | str | UnsetType = UNSET
    params: dict[str, Any] | UnsetType = UNSET


class McpMessage(Schema):
    """One request or notification of JSON-RPC 2.0; a notification has no id."""

    struct = McpMessageFields
    jsonrpc = choice_node(("2.0",))
    id = node(MessageId(), missing=colander.drop)
    method = text_node(128, 1)
    params = node(JsonObject(), missing=colander.drop)


class McpError(Schema):
    """Why a request was not answered."""

    code = node(JsonInteger())
    message = node(JsonString())
    data = node(JsonObject(), missing=colander.drop)


class McpAnswer(Schema):
    """The answer to a request: a result or an error."""

    jsonrpc = choice_node(("2.0",))
    id = node(MessageId())
    result = node(JsonObject(), missing=colander.drop)
    error = McpError(missing=colander.drop)


@mcp.post(
    permission=ViewPermission.IDENTIFIED,
    body=McpMessage(),
    responses={200: McpAnswer(), 202: None, 400: (McpAnswer(), PROBLEM), 404: (McpAnswer(), PROBLEM)},
    errors=(406,),
)
def post_mcp(request: Request) -> Response:
    """Answer one message of the Model Context Protocol

    Streamable HTTP of the revisions 2024-11-05 to 2026-07-28, without sessions: each request is answered by one JSON
    document, and notifications by 202. 404 unless `mcp_enabled` is set. Tools are calls of this API: they need the
    same permissions and scopes of keys, and count as requests in addition to the message that carries them.
    """
    if not request.runtime.settings.of(McpSettings).mcp_enabled:
        raise Problem("not_found", sentence("mcp.off", "The setting mcp_enabled is off."))
    _check_origin(request)
    if not request.accept.acceptable_offers(["application/json"]):
        raise Problem(FEATURE.problems[0], sentence("mcp.accept", "Accept must allow application/json."))
    message = body_of(request, McpMessageFields)
    if message.id is UNSET:
        return Response(status=202)
    # Installations that nobody asks so do without the package.
    from skywatch.mcp.protocol import reply

    status, answer = reply(request, message.given())
    return json_response(encode(answer), status=status)


def _check_origin(request: Request) -> None:
    """Refuse pages of origins that the settings do not allow, those of this host's own name included.

    A name is no proof: the page of an attacker has the name of this host once its own points here (DNS rebinding).
    """
    origin, origins = request.environ.get("HTTP_ORIGIN"), request.runtime.shared(allowed_origins)
    if origin and not (origins.may_read(origin) or origins.is_own(origin, "")):
        raise Problem(
            "permission_denied",
            sentence("mcp.origin", "Pages of this origin are not allowed: see cors_allowed_origins."),
        )
