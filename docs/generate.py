"""Writes the reference pages of the manual from the code: ``python docs/generate.py`` (a test compares them).

Settings, endpoints, permissions and error codes are tables in the code; here they become pages, so that the manual
says what the service does.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import skywatch
from skywatch import make_app
from skywatch.console.routes import Pages
from skywatch.console.sessions.session import ADMINISTRATIVE, is_administrative
from skywatch.console.views.service.settings import TITLES, packages_of
from skywatch.core.hooks import editable_inputs
from skywatch.core.problems import KINDS
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.core.telemetry import metrics
from skywatch.features import FEATURES, SETTINGS, load
from skywatch.http.resources.service import operations
from skywatch.security.permissions import (
    BEHAVIOUR,
    DEFAULT_ROLES,
    Permission,
    ViewPermission,
    default_permissions,
    permission_held,
)
from skywatch.settings import names_of, public_name

WHO = {
    "everyone": "everybody",
    "identity": "every identity",
    "holder": "holders",
}
# Names of docker-adsb-ultrafeeder for what a setting of ours does, too (its README of 2025).
ULTRAFEEDER = {
    "listen": "`READSB_NET_API_PORT`, and the published port 80",
    "output.*": "`READSB_NET_BEAST_OUTPUT_PORT`, `READSB_NET_SBS_OUTPUT_PORT`, `READSB_NET_RAW_OUTPUT_PORT`; "
    "`..._out` in `READSB_NET_CONNECTOR` and `ULTRAFEEDER_CONFIG`",
    "receiver.*": "`BEASTHOST` and `BEASTPORT`; `..._in` in `READSB_NET_CONNECTOR` and `ULTRAFEEDER_CONFIG`",
    "station_lat": "`READSB_LAT`, `LAT`",
    "station_lon": "`READSB_LON`, `LONG`",
    "station_name": "`TAR1090_SITENAME`",
}
REFERENCE = Path(__file__).resolve().parent / "reference"
# Begins the paragraph of a package's docstring that names what a reader may look for in vain.
ELSEWHERE = "Not here:"
# Modules that many packages have; what each holds is a table of ``architecture.md``.
STANDARD = (
    "answers",
    "command",
    "feature",
    "metrics",
    "models",
    "retention",
    "schemas",
    "service",
    "settings",
    "views",
)
PACKAGES = """# Packages and folders

What stands where in `skywatch/`. Modules with the names that every package uses
([the table](../architecture.md#the-layers)) are left out.

"""


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows
    ]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting by feature, its default and meaning."""
    editable = editable_inputs(FEATURES)
    packages = packages_of(SETTINGS, FEATURES)
    groups: dict[str, list[tuple[str, ...]]] = {name: [] for name in TITLES}
    for field in names_of(SETTINGS).fields.values():
        default = "" if isinstance(field.default, type(None)) or field.metadata["secret"] else field.default
        if field.default_factory is not dataclasses.MISSING:
            default = ""
        shown = " ".join(map(str, default)) if isinstance(default, tuple) else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        name = public_name(field)
        place = "console" if field.metadata["stored"] or name.removesuffix("*") in editable else ""
        row = (f"`{name}`", f"`{shown}`" if shown else "", _range_of(field), field.metadata["meaning"], place)
        groups.setdefault(packages[field.name], []).append(row)
    titles = {feature.name: feature.title or feature.name for feature in FEATURES} | TITLES
    head = (
        "# Settings\n\nOne name each: lower case in the ini file, upper case in the environment, which wins. A dot "
        "becomes an underscore in the environment: `receiver.roof` is `RECEIVER_ROOF`. With the suffix `_FILE` a "
        "variable names a file with the value: `SECRET_FILE=/run/secrets/skywatch`. A number outside of its range "
        "stops the start with one line that names it. Those marked `console` may also be set "
        "[in the console](../console.md#settings), where neither the file nor the environment sets them. The order is "
        "the console's.\n"
    )
    heads = ("setting", "default", "range", "meaning", "also in")
    parts = [
        f"\n## {titles[name][:1].upper()}{titles[name][1:]}\n\n{table(heads, sorted(rows))}"
        for name, rows in groups.items()
        if rows
    ]
    return head + "".join(parts)


def environment_page() -> str:
    """Every setting's variable of the environment, and ultrafeeder's."""
    rows = []
    for field in names_of(SETTINGS).fields.values():
        name = public_name(field)
        variable = name.upper().replace(".", "_").replace("*", "NAME")
        rows.append((f"`{variable}`", f"`{name}`", ULTRAFEEDER.get(name, "")))
    head = (
        "# Environment\n\nThe variable of every setting, for [containers](../container.md) and units; it wins over the "
        "file. `NAME` is a name that you choose: `RECEIVER_ROOF='beast readsb:30005'`. With the suffix `_FILE` it "
        "names a file that contains the value, such as `SECRET_FILE=/run/secrets/secret`. The last column has what "
        "[docker-adsb-ultrafeeder](https://github.com/sdr-enthusiasts/docker-adsb-ultrafeeder) calls the same; the "
        "values are written otherwise ([how](../container.md#with-ultrafeeder)). Ranges, defaults and meanings: "
        "[settings](settings.md).\n\n"
    )
    return head + table(("variable", "setting", "ultrafeeder"), sorted(rows))


def _range_of(field: dataclasses.Field[Any]) -> str:
    """The least and the greatest value of a number, both permitted."""
    minimum, maximum = field.metadata["minimum"], field.metadata["maximum"]
    return "" if minimum is None else f"{minimum:.15g} to {maximum:.15g}"


def endpoints_page(services: Iterable[Any]) -> str:
    """Every endpoint, its permission and purpose."""
    rows = []
    for service in services:
        for operation in operations(service):
            path = re.sub(r"\{(\w+):[^/]*\}", r"{\1}", service.canonical)
            permission = permission_held(operation.permission)
            rows.append((f"`{operation.method}`", f"`{path}`", f"`{permission}`", operation.summary))
    head = "# Endpoints\n\nWhat is asked for before an endpoint answers; the OpenAPI document has every detail.\n\n"
    head += table(
        ("permission", "who has it"), [(f"`{row}`", row.meaning) for row in ViewPermission if row.held is None]
    )
    head += "\nAll other permissions are held through [roles](permissions.md).\n\n"
    return head + table(("method", "path", "permission", "purpose"), sorted(rows, key=lambda r: (r[1], r[0])))


def console_page(registry: Any) -> str:
    """Every page of the console: what it asks for, and which default roles get it."""
    features = {page.route: page.feature for page in runtime_of(registry).shared(Pages)}
    routes = {entry["introspectable"]["name"]: entry for entry in registry.introspector.get_category("routes")}
    rows = []
    for entry in registry.introspector.get_category("views"):
        view = entry["introspectable"]
        route = str(view["route_name"])
        if route.startswith("console."):
            path = re.sub(r"\{(\w+):[^/]*\}", r"{\1}", routes[route]["introspectable"]["pattern"])
            permission = next(r["value"] for r in entry["related"] if r.category_name == "permissions")
            purpose = view["callable"].__doc__.strip().partition("\n")[0]
            yes = ["yes" if _gets_page(role.name, permission) else "" for role in DEFAULT_ROLES]
            cells = (f"`{view['request_methods']}`", f"`{path}`", f"`{permission}`", features.get(route) or "")
            rows.append((*cells, *yes, purpose))
    begins = ", ".join(f"`{permission}`" for permission in sorted(ADMINISTRATIVE))
    head = (
        "# Pages of the console\n\nWhat each page of [the console](../console.md) asks for, and which default roles "
        f"get it. Only sessions of the console count here, and only who holds one of {begins} begins one.\n\n"
        "The access setting of the feature decides as in the API: while the feature is switched off nobody gets its "
        "pages, and where its level is `public` or `authenticated`, outside of mode `public`, everybody with a session "
        "reads what asks for `users.view` or `roles.view`. No page offers what its viewer may not do, and nobody "
        "changes who, or hands out what, goes beyond their own rights.\n\n"
    )
    heads = ("method", "path", "permission", "feature", *(role.name for role in DEFAULT_ROLES), "purpose")
    return head + table(heads, sorted(rows, key=lambda r: (r[1], r[0])))


def _gets_page(role: str, permission: str) -> bool:
    held = default_permissions(role)
    if permission == ViewPermission.OPEN:
        return True
    return is_administrative(held) and (permission == ViewPermission.IDENTIFIED or permission in held)


def permissions_page() -> str:
    """Every permission and the default roles that hold it."""
    held = {role.name: default_permissions(role.name) for role in DEFAULT_ROLES}
    rows = []
    for permission in sorted(Permission):
        yes = ["yes" if permission in held[role.name] else "" for role in DEFAULT_ROLES]
        rows.append((f"`{permission}`", permission.kind, permission.meaning, *yes))
    roles = [(f"`{r.name}`", r.priority, r.description) for r in DEFAULT_ROLES]
    return (
        "# Permissions\n\n"
        + table(("permission", "kind", "allows to", *(role.name for role in DEFAULT_ROLES)), rows)
        + "\n## Default roles\n\n"
        + table(("role", "priority", "meaning"), roles)
        + "\n## Kinds of permissions\n\n"
        "Who may do what a permission allows, by mode and by the level of the access setting that decides. In mode "
        "`private` the level `public` counts as `authenticated`. An API key reaches only the features of its scopes, "
        "and a feature that is switched off lets nobody in.\n\n"
        + kinds_table()
        + "\nEndpoints with `personal_write` are of the kind edit_own; at the level `permission` they need "
        "`cannonball.view`. Whatever the kind of their permission, imports of many records of one's own are of the "
        "kind write, and the known aircraft of Cannonball are read as the kind view.\n"
    )


def kinds_table() -> str:
    """Whom each kind of permission is granted to."""
    rows = [
        (
            kind,
            behaviour.meaning,
            f"`{behaviour.decided_by}`" if behaviour.decided_by else "",
            *(WHO[who] for who in (behaviour.in_public_mode, behaviour.public)),
            *(WHO[who] for who in (behaviour.authenticated, behaviour.permission)),
        )
        for kind, behaviour in BEHAVIOUR.items()
    ]
    levels = ("level `public`", "level `authenticated`", "level `permission`")
    return table(("kind", "allows to", "decided by", "mode `public`", *levels), rows)


def errors_page() -> str:
    """Every error code."""
    kinds = (*KINDS.values(), *FEATURES.problems.values())
    rows = [(f"`{kind.code}`", kind.status, kind.title) for kind in sorted(kinds, key=lambda k: (k.status, k.code))]
    return "# Error codes\n\nThe member `code` of every problem is one of these.\n\n" + table(
        ("code", "status", "meaning"), rows
    )


def metrics_page() -> str:
    """Every metric that a process exports."""
    FEATURES.load_metrics()
    rows = [
        (f"`{name}{{{','.join(labels)}}}`" if labels else f"`{name}`", meaning)
        for name, meaning, labels in sorted(metrics.DECLARED)
    ]
    head = (
        "# Metrics\n\nWhat `GET /api/v1/system/metrics` exports ([watching the service](../system.md#metrics)). A "
        "histogram has `_bucket`, `_count` and `_sum`. Beside these each process has Prometheus' own `process_*`.\n\n"
    )
    return head + table(("metric", "meaning"), rows)


def packages_page() -> str:
    """Every package and folder of the code with what it says of itself, what stands elsewhere, and its modules."""
    root = Path(skywatch.__file__).parent
    rows = []
    for path in sorted(root.rglob("__init__.py"), key=lambda path: path.parent.parts):
        folder = path.parent.relative_to(root)
        if folder.parts:
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            summary, *paragraphs = docstring.replace("``", "`").split("\n\n")
            elsewhere = next((text for text in paragraphs if text.startswith(ELSEWHERE)), "").removeprefix(ELSEWHERE)
            modules = ", ".join(one.stem for one in sorted(path.parent.glob("[a-z]*.py")) if one.stem not in STANDARD)
            rows.append(
                (f"{'&emsp;' * (len(folder.parts) - 1)}`{folder.as_posix()}`", summary, elsewhere.strip(), modules)
            )
    return PACKAGES + table(("folder", "what it holds", "what is elsewhere", "its modules"), rows)


def pages() -> dict[str, str]:
    """The content of every reference page."""
    runtime = Runtime.open(load({"environment": "development", "database_url": "sqlite://"}, {}))
    try:
        registry = make_app(runtime).registry
    finally:
        runtime.close()
    return {
        "settings.md": settings_page(),
        "environment.md": environment_page(),
        "endpoints.md": endpoints_page(registry.cornice_services.values()),
        "console.md": console_page(registry),
        "permissions.md": permissions_page(),
        "errors.md": errors_page(),
        "metrics.md": metrics_page(),
        "packages.md": packages_page(),
    }


def main() -> int:
    """Write the pages; with ``--check`` only say whether they are up to date."""
    stale = []
    REFERENCE.mkdir(exist_ok=True)
    for name, content in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(content, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"out of date: {', '.join(stale)}; run python docs/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
