# `make run` starts Skywatch, `make test` checks everything; both set up their own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INI ?= development.ini
# Three test processes more than there are cores: many tests wait for a process, a disk or a timer.
WORKERS := $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 3)")
SINCE ?= HEAD
COVERED ?= tests/unit tests/functional
# Bytecode is written whatever the environment says: each of hundreds of processes would compile all modules again.
PYTEST := env --unset=PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
PYTEST_ARGS ?= -n $(WORKERS) --dist worksteal

.PHONY: pictures examples run test slow-checks web-checked web-built lint format typecheck floors bytecode tests unit functional integration quick quick-lint quick-types quick-unit drill-clients drill-passwords drill-flood drill-calm-sky drill-archive-crashes drill-batch-crashes drill-recipes drill-restarts drill-ingest-loss drill-dry-runs drill-console drill-widths drill-deployment drill-cluster drill-hosts drill-image drill-deb drill-home-assistant drill-versions drill-rolling faults soak soak-whole web web-after web-background web-test wheel deb release coverage bench docs man clean help

help: ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

# One way for all: into .venv with uv, with pip where uv cannot be had.
INSTALL := $(PYTHON) deploy/environment.py

# What the service needs, and what work on it needs in addition.
$(VENV)/.runtime: setup.py
	@$(INSTALL)
	@touch $@

$(VENV)/.installed: setup.py pyproject.toml
	@$(INSTALL) --extras dev
	@touch $@ $(VENV)/.runtime

.venv: $(VENV)/.installed

# The extra "web" by name: installing Skywatch itself again would disturb a service that is starting from it.
$(VENV)/.web: setup.py
	@$(INSTALL) --of web
	@touch $@

web: $(VENV)/.web ## build the web application
	@$(BIN)/python web/make.py build

wheel: web ## build a wheel into dist/, with the web application in it
	@$(INSTALL) 'build>=1.2,<2'
	$(BIN)/python -m build --wheel

deb: wheel ## build a Debian package into dist/, for the Debian that this is (python3-venv, dpkg)
	/usr/bin/python3 deploy/debian/build.py "$$(ls -t dist/skywatch-*.whl | head -1)"

release: $(VENV)/.installed $(VENV)/.web ## check, build, describe and tag the version of setup.py (DRY_RUN=1: no tag)
	@$(INSTALL) 'build>=1.2,<2'
	$(BIN)/python -m release $(if $(DRY_RUN),--dry-run)

# The service does not wait for its web application, and runs without it where it cannot be built: `/` says why.
# A build of this very tree is not built again; another one is shown until the new one is there.
web-background:
	@mkdir -p var
	@test -f skywatch/web/built/index.html || \
		echo "The web application is being built; this takes about a minute." >skywatch/web/built.state
	@(nohup nice -n 19 $(MAKE) --no-print-directory web-after >var/web-build.log 2>&1 || \
		test -f skywatch/web/built/index.html || test -n "$$(grep 'could not' skywatch/web/built.state)" || \
		echo "The web application could not be built: $$(tail -1 var/web-build.log)" >skywatch/web/built.state) &

web-after: $(VENV)/.web
	@$(BIN)/python web/make.py after $(INI)

# The database first, then the service with the build of the web application in the background, at the lowest priority.
run: $(VENV)/.runtime ## start the service (INI=development.ini)
	@mkdir -p var
	@$(BIN)/skywatch init $(INI) --first-administrator --demonstration
	@$(PYTHON) web/make.py current || $(MAKE) --no-print-directory web-background
	@exec $(BIN)/skywatch serve $(INI)

# mypy and the checks of the web application take one core for minutes, while tests also wait: they run at the same time.
test: $(VENV)/.installed ## everything: lint, types, floors, tests
	@$(MAKE) --no-print-directory --jobs=2 lint floors web-built bytecode
	@$(MAKE) --no-print-directory --jobs=2 tests slow-checks

slow-checks: typecheck web-checked

lint: $(VENV)/.installed ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.installed ## bring the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python web/make.py format

typecheck: $(VENV)/.installed ## mypy
	$(BIN)/mypy

floors: $(VENV)/.installed ## import-linter: imports go down only
	$(BIN)/lint-imports

web-test: web-built ## the web application: types, lint, unit tests
	@$(MAKE) --no-print-directory web-checked

# Installs the packages of the checks, too: nothing may change them while tests run.
web-built: $(VENV)/.installed
	$(BIN)/python web/make.py types
	$(BIN)/python web/make.py build

web-checked: $(VENV)/.installed
	$(BIN)/python web/make.py form
	$(BIN)/python web/make.py unit

tests: $(VENV)/.installed ## pytest alone: all three lanes
	$(PYTEST) $(PYTEST_ARGS)

# Compiles all tests once: the processes of pytest would do it side by side, each for itself. It shows no error: they do.
bytecode: $(VENV)/.installed
	-@$(BIN)/python -m tests.lanes.bytecode >/dev/null 2>&1

unit: $(VENV)/.installed ## tests/unit: rules, without a process of the service
	$(PYTEST) $(PYTEST_ARGS) -m unit tests/unit

functional: $(VENV)/.installed ## tests/functional: the API through WebTest
	$(PYTEST) $(PYTEST_ARGS) -m functional tests/functional

integration: $(VENV)/.installed ## tests/integration: real processes, servers, clients and a browser
	$(PYTEST) $(PYTEST_ARGS) -m integration tests/integration

# What a person runs at every save: changed files, types by a daemon, floors, the unit tests near the change.
quick: $(VENV)/.installed ## under a minute: lint, types, floors and unit tests of what changed (SINCE=HEAD)
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target quick-lint quick-types floors quick-unit

quick-lint:
	@git diff --name-only --diff-filter=d $(SINCE) -- '*.py' | xargs -r $(BIN)/ruff check
	@git diff --name-only --diff-filter=d $(SINCE) -- '*.py' | xargs -r $(BIN)/ruff format --check
	@test -z "$$(git diff --name-only $(SINCE) -- web/src web/test ':(glob)skywatch/**/*schemas.py')" || $(BIN)/python web/make.py types

quick-types:
	@$(BIN)/dmypy run --timeout 7200

quick-unit:
	@$(BIN)/python -m tests.lanes.affected --since $(SINCE) >.durations.chosen
	@test ! -s .durations.chosen || $(BIN)/python -m pytest -q --no-header --sqlite -n 2 --dist worksteal @.durations.chosen

drill-clients: $(VENV)/.installed ## 25 dying clients a second for a minute: all others have every tick
	$(BIN)/python -m tests.drills.clients

drill-passwords: $(VENV)/.installed ## 50 callers with wrong passwords: how long all other requests take meanwhile
	$(BIN)/python -m tests.drills.passwords

drill-flood: $(VENV)/.installed ## 15,000 aircraft without separation: what their safety events cost the service and other writers
	$(BIN)/python -m tests.drills.flood

drill-calm-sky: $(VENV)/.installed ## half an hour of simulated traffic raises no safety event but the simulated emergencies
	SKYWATCH_CALM_SKY=1 $(PYTEST) $(PYTEST_ARGS) tests/integration/test_calm_sky.py

drill-archive-crashes: $(VENV)/.installed ## kill -9 at each step between archiving a day and deleting it: nothing is lost or doubled
	$(BIN)/python -m tests.drills.archive_crashes

drill-batch-crashes: $(VENV)/.installed ## kill -9 of a batch and of its workers: the results are those of an undisturbed run
	$(BIN)/python -m tests.drills.batch_crashes

drill-recipes: $(VENV)/.installed ## run the manual's recipe for Spark over an archive (Java 17; installs PySpark for it; PYTHON_WITH_SPARK=path: uses that)
	$(BIN)/python -m tests.drills.recipes $(if $(PYTHON_WITH_SPARK),--python $(PYTHON_WITH_SPARK))

drill-restarts: $(VENV)/.installed ## restart and take over in every way: nothing is announced twice or cleared falsely
	SKYWATCH_RESTARTS=1 $(PYTEST) $(PYTEST_ARGS) tests/integration/restarts

drill-ingest-loss: $(VENV)/.installed ## kill -9 of an ingest process at 500 feeders, over Redis and NATS: feeders back, gap in the picture (PostgreSQL)
	$(BIN)/python -m tests.drills.ingest_loss

drill-dry-runs: $(VENV)/.installed ## 12 dry runs of alert rules at once: how long all other requests and ticks take meanwhile
	$(BIN)/python -m tests.drills.dry_runs

drill-deployment: $(VENV)/.installed ## run the manual's deployment pages in a fresh Debian (root, debootstrap)
	$(BIN)/python -m tests.drills.deployment

drill-cluster: $(VENV)/.installed ## run the manual's page on three hosts in namespaces, and cut one off (root, debootstrap, iproute2)
	$(BIN)/python -m tests.drills.cluster $(if $(SUITE),--suite $(SUITE))

drill-hosts: $(VENV)/.installed ## break three hosts in namespaces in every way, over NATS and Redis with Sentinel (two hours; root, iproute2, etcd, Patroni, HAProxy)
	$(BIN)/python -m tests.drills.hosts $(if $(BUS),--bus $(BUS)) $(HOSTS_ARGS)

drill-image: $(VENV)/.installed ## build the container image and run it alone and as one container for each role (root, buildah, debootstrap, PostgreSQL, Redis, chromium)
	$(BIN)/python -m tests.drills.image

drill-deb: $(VENV)/.installed ## build the Debian package and walk it: install, upgrade, remove, purge (root, debootstrap; SUITE=bookworm)
	$(BIN)/python -m tests.drills.deb $(if $(SUITE),--suite $(SUITE))

drill-home-assistant: $(VENV)/.installed ## start the Home Assistant add-on and open it by ingress (root, debootstrap, chromium)
	$(BIN)/python -m tests.drills.home_assistant $(if $(WHEEL),--wheel $(WHEEL))

faults: $(VENV)/.installed ## break two installations in every way (half an hour, loopback only)
	$(BIN)/python -m tests.drills.faults

drill-console: $(VENV)/.installed web ## every form of the console in a browser, and five tasks as somebody new goes them, at two widths, light and dark
	$(BIN)/python web/make.py types
	$(BIN)/python -m tests.drills.console
	$(BIN)/python -m tests.drills.console_walks

drill-widths: $(VENV)/.installed web ## pages of the past and of small screens, opened at every width, in every theme, with every renderer
	SKYWATCH_WIDTHS=1 $(PYTEST) $(PYTEST_ARGS) tests/integration/web/test_past.py tests/integration/web/test_small_screens.py

drill-rolling: $(VENV)/.installed ## roll a release through all processes under 50 subscribers and 20 requests a second (nginx, PostgreSQL, Redis, NATS)
	$(BIN)/python -m tests.drills.rolling

drill-versions: $(VENV)/.installed ## try the next minor version of every pinned package (weekly; PACKAGES="a b")
	$(BIN)/python -m tests.drills.versions $(PACKAGES)

soak: $(VENV)/.installed ## two hours with 2,000 aircraft, 200 subscribers and callers: memory, ticks, log
	$(BIN)/python -m tests.drills.soak

soak-whole: $(VENV)/.installed ## two hours with 15,000 aircraft and everything on: ticks, connections, memory (MINUTES=120)
	$(BIN)/python -m benchmarks.whole soak --minutes $(or $(MINUTES),120)

# A failed test is named and does not withhold the figure of what was executed.
coverage: $(VENV)/.installed ## measure what unit and functional tests execute, into docs/coverage.md (half an hour)
	@$(INSTALL) --extras dev,coverage
	@mkdir -p build && rm -f build/coverage.json
	-$(BIN)/python -m pytest -q $(PYTEST_ARGS) --cov=skywatch --cov-branch --cov-report=json:build/coverage.json $(COVERED)
	$(BIN)/python docs/coverage.py build/coverage.json

bench-short: $(VENV)/.installed ## run the short form of every benchmark: whether each still runs
	$(BIN)/python -m benchmarks --short

bench: $(VENV)/.installed ## print the benchmarks compared with their peers
	@$(INSTALL) --extras dev,bench
	$(BIN)/python -m benchmarks

pictures: $(VENV)/.installed ## take the manual's pictures again (TAR1090_HTML=folder: tar1090's, too)
	SKYWATCH_PICTURES=docs/pictures $(BIN)/python -m pytest -n 0 -q tests/integration/web/test_pictures.py

examples: $(VENV)/.installed ## regenerate the manual's examples of requests and answers
	SKYWATCH_EXAMPLES=1 $(BIN)/python -m pytest -n 0 -q tests/functional/test_examples.py

docs: $(VENV)/.installed ## build the manual into site/<version>/, next to those of other versions
	$(BIN)/python docs/site.py

man: $(VENV)/.runtime ## write the manual page skywatch(1) and the shell completions into build/
	@mkdir -p build
	$(BIN)/skywatch man >build/skywatch.1
	@for shell in bash zsh fish; do $(BIN)/skywatch completion $$shell >build/skywatch.$$shell; done

clean: ## remove what was built
	rm -rf build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache
