"""The manifests for Kubernetes: its schemas accept them, Skywatch their settings, NATS its configuration."""

from __future__ import annotations

import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from skywatch.features import load
from skywatch.settings import ROLES
from tests.servers import program

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
OBJECTS = [one for path in sorted(FOLDER.glob("*.yaml")) for one in yaml.safe_load_all(path.read_text())]
SECRETS = {"secret": "5" * 64, "database_url": "postgresql+psycopg://skywatch:word@postgresql-rw/skywatch"}


def named(kind: str, name: str) -> dict[str, Any]:
    return next(one for one in OBJECTS if one["kind"] == kind and one["metadata"]["name"] == name)


def pod(role: str) -> dict[str, Any]:
    kind, name = ("Job", "skywatch-init") if role == "init" else ("Deployment", f"skywatch-{role}")
    template: dict[str, Any] = named(kind, name)["spec"]["template"]
    return template


def identity(document: dict[str, Any]) -> str:
    return f"{document['kind']}-{document['metadata']['name']}"


@pytest.mark.parametrize("document", OBJECTS, ids=identity)
@pytest.mark.parametrize("version", ["1.33", kubernetes_validate.latest_version()])
def test_the_schemas_of_kubernetes_accept_the_manifest(document, version):
    kubernetes_validate.validate(document, version, strict=True)


def test_a_misspelt_field_is_refused():
    document = {**named("PodDisruptionBudget", "skywatch-api"), "spec": {"maxUnavailabel": 1}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_two_pods_a_budget_and_labels_that_meet(role):
    deployment, budget = named("Deployment", f"skywatch-{role}"), named("PodDisruptionBudget", f"skywatch-{role}")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["replicas"] >= 2
    assert deployment["spec"]["selector"]["matchLabels"] == labels == budget["spec"]["selector"]["matchLabels"]
    assert pod(role)["spec"]["containers"][0]["args"] == ["serve", "--role", role]


@pytest.mark.parametrize("role", [*ROLES, "init"])
def test_pods_have_no_privilege_and_write_to_no_root(role):
    spec = pod(role)["spec"]
    container = spec["containers"][0]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["automountServiceAccountToken"] is False
    volumes = {volume["name"] for volume in spec["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes


@pytest.mark.parametrize("role", [*ROLES, "init"])
def test_what_a_pod_is_told_is_accepted_as_settings(role, tmp_path):
    container = pod(role)["spec"]["containers"][0]
    assert container["envFrom"] == [{"configMapRef": {"name": "skywatch"}}]
    environ = dict(named("ConfigMap", "skywatch")["data"])
    for variable in container["env"]:
        name = variable["value"].removeprefix("/run/secrets/skywatch/")
        (tmp_path / name).write_text(SECRETS[name] + "\n")
        environ[variable["name"]] = str(tmp_path / name)
    ini = ConfigParser(interpolation=None)
    ini.read(ROOT / "deploy" / "image" / "skywatch.ini")
    section = {name: text for name, text in ini["app:main"].items() if name != "use"}
    settings = load(section, environ)
    assert settings.secret == SECRETS["secret"]
    assert settings.database_url == SECRETS["database_url"]
    assert settings.bus == "nats://nats-0.nats,nats-1.nats,nats-2.nats"


def test_services_and_ingress_lead_to_ports_that_pods_have():
    for name in ("api", "realtime", "ingest"):
        service = named("Service", f"skywatch-{name}")["spec"]
        ports = {port["name"]: port["containerPort"] for port in pod(name)["spec"]["containers"][0]["ports"]}
        assert service["selector"] == pod(name)["metadata"]["labels"]
        assert [port["targetPort"] for port in service["ports"]] == list(ports)
    for path in named("Ingress", "skywatch")["spec"]["rules"][0]["http"]["paths"]:
        backend = path["backend"]["service"]
        offered = [port["name"] for port in named("Service", backend["name"])["spec"]["ports"]]
        assert backend["port"]["name"] in offered


def test_three_servers_of_nats_are_those_that_the_bus_names():
    stateful = named("StatefulSet", "nats")
    address = named("ConfigMap", "skywatch")["data"]["BUS"]
    hosts = [f"nats-{number}.{stateful['spec']['serviceName']}" for number in range(stateful["spec"]["replicas"])]
    assert address == "nats://" + ",".join(hosts)


def test_nats_accepts_its_configuration(tmp_path, monkeypatch):
    server = program("nats-server")
    (tmp_path / "nats.conf").write_text(named("ConfigMap", "nats")["data"]["nats.conf"])
    monkeypatch.setenv("POD_NAME", "nats-0")
    done = subprocess.run([server, "-t", "-c", str(tmp_path / "nats.conf")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
