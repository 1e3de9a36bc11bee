# Everything installs into .venv; everything that a run leaves behind is in .local.

PYTHON ?= python3
BIN := .venv/bin
# What `make test` hands on to pytest, for example: make test-sqlite ARGS="-k merge".
ARGS ?=
# Which tests, by the markers that pyproject.toml lists.
MARKERS ?= not e2e
# COVERAGE=yes notes in .coverage what the tests on SQLite reach, for `make coverage`.
COVERAGE ?=

# Settings as in production. Nothing connects to that database, and no file is made for it.
PRODUCTION := HTTPS_ONLY=true ALLOWED_HOSTS=example.com DATABASE_URL=postgres://nobody@localhost/no \
	SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))')"

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help run reset test test-rest test-sqlite test-postgres coverage test-gunicorn chaos bench release-check schemathesis browser cli-demo docs e2e demo programs lint types migrations format lock clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/.runtime ## Start Flux Fleet on 127.0.0.1:8080, with a demo fleet on the first start
	@$(BIN)/python -m config.launch

reset: ## Start over: remove the local database and the generated secrets
	rm -rf .local

test: ## Run the tests, on SQLite and then on PostgreSQL: all that a few minutes can tell
	@$(MAKE) test-sqlite MARKERS="not slow and not e2e"
	@$(MAKE) test-postgres MARKERS="both_databases and not slow"

test-rest: ## Run what `make test` leaves out: faults, restarts, and the rest on PostgreSQL
	@$(MAKE) test-sqlite MARKERS="slow and not browser"
	@$(MAKE) test-postgres MARKERS="(slow or not both_databases) and not browser and not e2e"

test-sqlite: .venv/.dev ## Run all tests on SQLite
	@$(BIN)/python -m tests.browser.chromium
	TEST_DATABASE=sqlite $(BIN)/python -m pytest -n 2 -m "$(MARKERS)" $(if $(COVERAGE),$(MEASURED)) $(ARGS)

test-postgres: .venv/.dev ## Run all tests on a PostgreSQL server of their own
	TEST_DATABASE=postgres $(BIN)/python -m pytest -n 2 -m "$(MARKERS)" $(ARGS)

# Added to what is there, and not judged yet: the slow tests are measured in another run.
MEASURED := --cov --cov-append --cov-report= --cov-fail-under=0

coverage: .venv/.dev ## Report what tests with COVERAGE=yes have reached; too little is an error
	$(BIN)/coverage report

# Everything else runs with the newest release that pyproject.toml allows.
OLDEST_GUNICORN := $(shell sed -n 's/.*"gunicorn>=\([0-9.]*\),.*/\1/p' pyproject.toml)

test-gunicorn: .venv/.dev ## Run what talks to a real server with the oldest gunicorn that we allow
	$(BIN)/python -m pip install --quiet --upgrade --no-deps --target .venv/oldest \
		'gunicorn==$(OLDEST_GUNICORN)'
	PYTHONPATH=$(CURDIR)/.venv/oldest TEST_DATABASE=sqlite $(BIN)/python -m pytest -n 2 -m server $(ARGS)

chaos: .venv/.dev ## Kill the server during writes, 20 times on either database: nothing may be lost
	TEST_DATABASE=sqlite $(BIN)/python -m tests.chaos.kill_server
	TEST_DATABASE=postgres $(BIN)/python -m tests.chaos.kill_server

bench: .venv/.dev ## Measure polls and writes beside what the server could at most; ARGS=--help lists options
	$(BIN)/python -m tests.bench $(ARGS)

release-check: ## Measure the full sizes before a release, on a machine with nothing else to do: an hour
	@$(MAKE) bench ARGS=--write-docs
	@$(MAKE) bench ARGS="--steady --write-docs"
	@$(MAKE) bench ARGS="--sizes 1000 100000 --databases sqlite --sections $(LARGE) --write-docs"
	@$(MAKE) chaos

# What is measured of 100,000 clusters.
LARGE := warm cold loads single writes

schemathesis: .venv/.dev ## Fuzz a running server from its own OpenAPI schema
	$(BIN)/python -m tests.schema.fuzz

browser: .venv/.dev ## Walk over every page with a real browser: light and dark, wide and narrow, axe
	@$(BIN)/python -m tests.browser.chromium
	TEST_DATABASE=sqlite $(BIN)/python -m pytest -n 2 -m browser $(ARGS)

cli-demo: .venv/.dev ## Tell the story of the command line, on a server of its own
	$(BIN)/python -m tests.cli.demo

docs: .venv/.dev ## Write docs/cli.md anew, from the program
	$(BIN)/python -m fleet_cli.reference > docs/cli.md

e2e: .venv/.dev programs ## Let a real Flux Operator follow the fleet; the first time builds it, in a quarter of an hour
	$(BIN)/python -m pytest -m e2e $(ARGS) tests/e2e

demo: .venv/.dev programs ## See a real Flux Operator follow the demo fleet, step by step in the terminal
	@$(BIN)/python -m tests.e2e.demo

programs: .venv/.dev ## Build what `make e2e` and `make demo` need of Kubernetes and Flux, with Go
	$(BIN)/python -m tests.e2e.programs

lint: .venv/.dev ## Check style, imports, types, migrations, the OpenAPI schema and the production settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@$(MAKE) types migrations
	@echo manage.py spectacular --fail-on-warn --validate; $(PRODUCTION) STORE_BACKEND=memory \
		$(BIN)/python manage.py spectacular --fail-on-warn --validate --file /dev/null
	@echo manage.py check --deploy; \
		$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING

types: .venv/.dev ## Check types
	@echo mypy .; $(PRODUCTION) $(BIN)/mypy .

migrations: .venv/.dev ## Check that every change to a model has its migration
	@echo manage.py makemigrations --check; \
		$(PRODUCTION) STORE_BACKEND=memory $(BIN)/python manage.py makemigrations --check --dry-run

format: .venv/.dev ## Format the code and fix what can be fixed safely
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# One version of each package for every Python, so that the image runs what was tested.
COMPILE := .venv/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --custom-compile-command "make lock" $(ARGS) pyproject.toml
BUILD_REQUIRES := $(shell sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml)

lock: .venv/.runtime ## Write the lock files after a change of dependencies; ARGS=--upgrade takes the newest of all
	@test -x .venv/uv/bin/uv || $(BIN)/python -m pip install --quiet --target .venv/uv 'uv>=0.9,<1'
	echo '$(BUILD_REQUIRES)' | $(COMPILE) - --output-file requirements.lock
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## Remove what was installed, built and cached; the local database stays
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis \
		.coverage staticfiles
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make a second `make run` start without asking pip.
.venv/.runtime: pyproject.toml
	$(make-venv)
	$(BIN)/python -m pip install -e .
	@touch $@

.venv/.dev: pyproject.toml
	$(make-venv)
	$(BIN)/python -m pip install -e '.[dev]'
	@touch .venv/.runtime $@

define make-venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo 'Flux Fleet needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3' >&2; \
	exit 1; }
@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
endef
