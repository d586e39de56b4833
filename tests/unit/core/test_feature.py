"""A feature is declared once: everything that an installation knows of it follows from its declaration."""

from dataclasses import dataclass

import pytest

from skywatch import make_app
from skywatch.core.bus import Message
from skywatch.core.database.models import AuditEntry
from skywatch.core.feature import (
    DeclarationError,
    EventKind,
    Feature,
    FeatureSet,
    Topic,
)
from skywatch.core.hooks import DoctorCheck, InputFamily, PastPictures, Service
from skywatch.core.problems import Problem, ProblemKind
from skywatch.core.rule_fields import RuleEvents, RuleField, RuleState
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.core.storage.retention import Kind
from skywatch.features import FEATURES, SETTINGS
from skywatch.notify.hooks import NotificationKind, subscribed_kinds
from skywatch.picture.hooks import PictureMonitor
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.settings import Settings, SettingsError, load_with_origins, names_of, setting

LANDINGS = RuleEvents(topic="balloons.landed", singular="a landing", plural="landings")
KINDS = (Kind(name="balloons", table=AuditEntry.__table__, column="at", days=lambda settings: 1.0),)


def check(inspection):
    """Stands for a check of ``skywatch doctor``."""


def create(runtime):
    """Stands for a monitor or a service."""


def includeme(config):
    config.registry["balloons"] = runtime_of(config.registry).settings.of(BalloonSettings).balloons_limit


@dataclass(frozen=True, kw_only=True)
class BalloonSettings(Settings):
    """The settings of the feature that this test declares."""

    balloons_limit: int = setting(5, "balloons at a time", minimum=1, maximum=99)
    balloons: dict[str, str] = setting({}, "a balloon", name="balloon.*")


def test_two_features_cannot_declare_the_same():
    topic = Topic(name="balloons", permission="aircraft.view")
    with pytest.raises(DeclarationError, match="topic balloons is declared twice"):
        FeatureSet([Feature(name="a", topics=(topic,)), Feature(name="b", topics=(topic,))])
    with pytest.raises(DeclarationError, match="feature a is declared twice"):
        FeatureSet([Feature(name="a"), Feature(name="a")])
    with pytest.raises(DeclarationError, match="command a is declared twice"):
        FeatureSet([Feature(name="a", commands={"a": "a:a"}), Feature(name="b", commands={"a": "b:b"})])
    family = InputFamily(prefix="balloon.", title="Balloon")
    with pytest.raises(DeclarationError, match="family of inputs balloon is declared twice"):
        FeatureSet([Feature(name="a", provides=(family,)), Feature(name="b", provides=(family,))])
    pictures = PastPictures(lambda *span: iter(()))
    with pytest.raises(DeclarationError, match="PastPictures is provided by 2 features; one may have it"):
        FeatureSet([Feature(name=name, provides=(pictures,)) for name in ("a", "b")]).only(PastPictures)
    with pytest.raises(DeclarationError, match="error code not_found is declared twice"):
        FeatureSet([Feature(name="a", problems=(ProblemKind("not_found", 404, "Lost"),))])
    with pytest.raises(DeclarationError, match="event a:b is on topic c, which no feature declares"):
        FeatureSet([Feature(name="a", events=(EventKind(name="a:b", topic="c"),))])


def test_settings_of_a_feature_are_composed_and_typed():
    features = FeatureSet([*FEATURES, Feature(name="balloons", settings=BalloonSettings)])
    ini = {"secret": "x" * 40, "balloon.red": "127.0.0.1:1", "balloons_limit": "7"}
    settings, origins = load_with_origins(features.settings(), ini, {"BALLOON_BLUE": "127.0.0.1:2"})
    assert settings.of(BalloonSettings).balloons_limit == 7
    assert settings.of(BalloonSettings).balloons == {"red": "127.0.0.1:1", "blue": "127.0.0.1:2"}
    assert {"balloons_limit", "balloon.red", "balloon.blue"} <= {origin.name for origin in origins}
    with pytest.raises(SettingsError, match="did you mean balloons_limit"):
        load_with_origins(features.settings(), {"secret": "x" * 40, "baloons_limit": "7"}, {})
    with pytest.raises(ValueError, match="setting secret is declared"):
        FeatureSet([Feature(name="a", settings=SecretSettings)]).settings()


@dataclass(frozen=True, kw_only=True)
class SecretSettings(Settings):
    """Declares what is declared already."""

    secret: str = setting("", "another secret")


FEATURE = Feature(
    name="balloons",
    include=__name__,
    topics=(Topic(name="balloons", permission="aircraft.view"),),
    events=(EventKind(name="balloons:launched", topic="balloons", needs=("aircraft.view_details",)),),
    retention=lambda: KINDS,
    settings=BalloonSettings,
    problems=(ProblemKind("balloon_lost", 410, "The balloon is lost"),),
    metrics=__name__,
    commands={"balloons": "builtins:print"},
    title="balloons",
    provides=(
        PictureMonitor(create),
        Service(role="worker", create=create),
        DoctorCheck(check),
        NotificationKind(name="balloon", permission="aircraft.view"),
        NotificationKind(name="envelope", permission="aircraft.view", addressed=True),
    ),
)


def test_a_feature_that_is_declared_is_found_everywhere(make_settings):
    features = FeatureSet([*FEATURES, FEATURE])
    plain = make_settings()
    ini = {"secret": "x" * 40, "database_url": plain.database_url}
    settings, _ = load_with_origins(features.settings(), ini, {})
    runtime = Runtime.open(settings)
    try:
        registry = make_app(runtime).registry
        assert registry["balloons"] == 5
        assert create in [hook.create for hook in runtime.features.provided(PictureMonitor)]
        assert check in [hook.check for hook in runtime.features.provided(DoctorCheck)]
        assert runtime.features.titles()[-1] == "balloons"
        assert {"balloon", "envelope"} - set(subscribed_kinds(runtime.features)) == {"envelope"}
        assert [hook.role for hook in runtime.features.provided(Service) if hook.create is create] == ["worker"]
        table = TopicTable(runtime.features)
        who = Visibility(1, frozenset({"aircraft.view", "aircraft.view_details"}))
        assert "balloons" in table.open_to(who)
        assert "balloons" not in table.open_to(Visibility(None, frozenset()))
        launched = Message("balloons", "balloons:launched", b"{}")
        assert table.may_receive(who, launched)
        assert not table.may_receive(Visibility(1, frozenset({"aircraft.view"})), launched)
        assert "balloons" in [kind.name for kind in runtime.features.retention_kinds()]
        assert Problem(runtime.features.problems["balloon_lost"]).as_dict()["status"] == 410
        assert runtime.features.commands["balloons"] == "builtins:print"
    finally:
        runtime.close()


def test_no_feature_is_known_by_the_installation_that_does_not_list_it():
    assert "balloons" not in FEATURES.topics
    assert "balloons_limit" not in names_of(SETTINGS).single


def test_every_permission_that_a_topic_or_an_event_names_is_in_the_table():
    named = {topic.permission for topic in FEATURES.topics.values()}.union(*FEATURES.deciding_permissions().values())
    assert named - set(Permission) == set()


def test_what_decides_who_hears_a_topic_is_what_its_events_declare():
    feature = Feature(
        name="balloons",
        topics=(Topic(name="balloons", permission="aircraft.view"), Topic(name="sky", permission="aircraft.view")),
        events=(
            EventKind(name="balloons:launched", topic="balloons", needs=("a.b",), oversight="a.manage"),
            EventKind(name="balloons:burst", topic="balloons", may_need=("c.d",)),
        ),
    )
    assert FeatureSet([feature]).deciding_permissions() == {
        "balloons": frozenset({"a.b", "a.manage", "c.d"}), "sky": frozenset(),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ({"kind": "colour", "column": "nic"}, "has kind 'colour'; known are number, text, flag"),
        ({"kind": "number"}, "needs either a column, events or a state"),
        ({"kind": "number", "state": RuleState(fault=create, holds=create)}, "is a state: it needs kind text"),
        (
            {"kind": "text", "column": "flight", "events": LANDINGS, "member": "pilot"},
            "needs either a column, events or a state",
        ),
        ({"kind": "number", "events": LANDINGS, "member": "pilot"}, "needs kind text and a member"),
        ({"kind": "text", "events": LANDINGS}, "needs kind text and a member"),
    ],
)
def test_a_rule_field_has_one_source(field, fault):
    with pytest.raises(DeclarationError, match=f"rule field pilot .*{fault}"):
        FeatureSet([Feature(name="a", provides=(RuleField(name="pilot", meaning="Pilot", **field),))])


def test_events_that_show_rule_fields_may_need_the_permissions_of_these():
    field = RuleField(
        name="pilot", kind="text", meaning="Pilot", events=LANDINGS, member="pilot", permission="balloons.view_pilots"
    )
    topic = Topic(name="rules", permission="a.view")
    shows = EventKind(name="rules:fired", topic="rules", may_need=("a.details",), shows_rule_fields=True)
    features = FeatureSet(
        [
            Feature(name="rules", topics=(topic,), events=(shows, EventKind(name="rules:other", topic="rules"))),
            Feature(name="balloons", provides=(field,)),
        ]
    )
    assert features.events["rules:fired"].may_need == ("a.details", "balloons.view_pilots")
    assert features.events["rules:other"].may_need == ()
    assert features.deciding_permissions() == {"rules": frozenset({"a.details", "balloons.view_pilots"})}
