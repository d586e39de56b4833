"""The senders of an installation, one for each kind of channel."""

from __future__ import annotations

from collections.abc import Callable

from skywatch.core.network.http_client import OutgoingClient
from skywatch.core.network.targets import TargetPolicy
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.settings import HttpSettings
from skywatch.notify.push.vapid import load_key
from skywatch.notify.senders.apprise import AppriseSender
from skywatch.notify.senders.base import Sender
from skywatch.notify.senders.mqtt import MqttSender
from skywatch.notify.senders.names import NameResolver
from skywatch.notify.senders.web_push import UnusableSender, WebPushSender
from skywatch.notify.senders.webhook import MAX_ANSWER_BYTES, TIMEOUT_S, WebhookSender
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import ChannelKind

# Concurrent DNS lookups: each blocks a thread, and a name server that does not answer does so until its timeout.
RESOLVER_THREADS = 32


def _networks(runtime: Runtime) -> Callable[[], tuple[str, ...]]:
    """The networks that channels may reach at each moment: the console adds some at run time."""
    return lambda: runtime.current.of(NotifySettings).allowed_networks


def create_client(runtime: Runtime) -> OutgoingClient:
    """The HTTP client for addresses that users have entered."""
    return OutgoingClient(
        timeout_s=TIMEOUT_S,
        maximum_bytes=MAX_ANSWER_BYTES,
        policy=TargetPolicy(_networks(runtime)),
        resolver=NameResolver(RESOLVER_THREADS),
    )


def create_sender(runtime: Runtime, kind: str, client: OutgoingClient | None = None) -> Sender:
    """A sender of one kind; call it on the event loop that uses the sender."""
    settings = runtime.settings.of(NotifySettings)
    if kind == ChannelKind.APPRISE:
        return AppriseSender(settings, _networks(runtime))
    if kind == ChannelKind.MQTT:
        return MqttSender(settings)
    client = client or create_client(runtime)
    if kind == ChannelKind.WEB_PUSH:
        contact = settings.notify_push_contact or runtime.settings.of(HttpSettings).base_url
        try:
            return WebPushSender(client, load_key(runtime.sessions), contact)
        except Problem as problem:
            return UnusableSender(problem.detail)
    return WebhookSender(client)


def create_senders(runtime: Runtime) -> dict[str, Sender]:
    """A sender for each kind."""
    client = create_client(runtime)
    return {kind.value: create_sender(runtime, kind, client) for kind in ChannelKind}
