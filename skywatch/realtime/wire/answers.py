"""What the service says to one client: the answer to its command, or news about its connection.

In Socket.IO the type is the name of the event, and the rest its data.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from skywatch.sentences import worded

TopicNames: TypeAlias = list[str]
DetailCode: TypeAlias = Annotated[str, Meta(description="The code of the detail, from which every language is worded.")]
DetailParams: TypeAlias = Annotated[dict[str, Any], Meta(description="The parameters of the detail, by name.")]


class ServerMessage(msgspec.Struct, kw_only=True, tag_field="type"):
    """A message to one client."""


class Answer(ServerMessage, kw_only=True):
    """A message that may answer a command; ``id`` is that of the command."""

    id: Annotated[str | int, Meta(description="The id of the command, where it had one.")] | UnsetType = UNSET


class ConnectedUser(msgspec.Struct):
    """The account of a connection."""

    id: int
    username: str


class Introduction(Answer, kw_only=True):
    """What a subscriber is told about itself."""

    user: Annotated[ConnectedUser | None, Meta(description="Null for an anonymous client.")]
    topics: Annotated[TopicNames, Meta(description="Topics that are open to this client.")]
    expires_at: Annotated[
        str | None,
        Meta(description="When the credential ends.", extra_json_schema={"format": "date-time"}),
    ]


class Connected(Introduction, tag="connected", kw_only=True):
    """The client is admitted."""

    heartbeat_s: Annotated[float, Meta(description="Interval of pings to a silent client (s).")]


class Refreshed(Introduction, tag="refreshed", kw_only=True):
    """The connection goes on with the new token."""


class RefusalData(msgspec.Struct):
    """Why a client is refused."""

    code: Annotated[str, Meta(description="One of the error codes.")]
    detail: str
    detail_code: DetailCode | UnsetType = UNSET
    detail_params: DetailParams | UnsetType = UNSET


class ConnectError(ServerMessage, tag="connect_error", kw_only=True):
    """The client is refused; the connection is closed."""

    message: Annotated[str, Meta(description="The message of the close code.")]
    data: RefusalData


class Subscribed(Answer, tag="subscribed", kw_only=True):
    """The topics of a command, and all that are subscribed now."""

    topics: Annotated[TopicNames, Meta(description="All topics that are subscribed now.")]
    joined: Annotated[TopicNames, Meta(description="Topics of the command that were joined.")]
    denied: Annotated[TopicNames, Meta(description="Topics of the command that do not exist or may not be joined.")]


class Unsubscribed(Answer, tag="unsubscribed", kw_only=True):
    """Topics that carry nothing any more: by the client's command, or because a right was withdrawn."""

    topics: Annotated[TopicNames, Meta(description="Topics that ended.")]
    remaining: Annotated[TopicNames, Meta(description="All topics that are subscribed now.")]
    code: Annotated[Literal["permission_denied"], Meta(description="Where a right was withdrawn.")] | UnsetType = UNSET


class Pong(Answer, tag="pong", kw_only=True):
    """The answer to a ping."""

    timestamp: Annotated[str, Meta(description="The service's time.", extra_json_schema={"format": "date-time"})]


class Response(Answer, tag="response", kw_only=True):
    """The answer to a request."""

    method: Literal["snapshot"]
    topic: str
    epoch: str
    seq: int
    data: Annotated[msgspec.Raw, Meta(description="That of the topic's snapshot.")]


class Error(Answer, tag="error", kw_only=True):
    """What was asked for cannot be done; the connection stays."""

    code: Annotated[str, Meta(description="One of the error codes.")]
    detail: str
    detail_code: DetailCode | UnsetType = UNSET
    detail_params: DetailParams | UnsetType = UNSET
    retry_after_s: Annotated[int, Meta(description="With rate_limited: when to ask again.")] | UnsetType = UNSET

    @classmethod
    def of(cls, code: str, detail: str, retry_after_s: int | UnsetType = UNSET) -> Error:
        """Make the error of a sentence."""
        return cls(code=code, retry_after_s=retry_after_s, **worded("detail", detail))


class PictureState(ServerMessage, tag="picture", kw_only=True):
    """Whether the tracker publishes the picture; aircraft topics only."""

    state: Literal["live", "stale"]
    age_s: Annotated[float, Meta(description="Age of the last tick (s).")]


class Reconnect(ServerMessage, tag="reconnect", kw_only=True):
    """The service stops; it is back after this time."""

    after_s: float


def type_of(message: ServerMessage | type[ServerMessage]) -> str:
    """The type of a message, which is its event in Socket.IO."""
    return str(message.__struct_config__.tag)
