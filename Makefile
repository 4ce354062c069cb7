# Every target makes the environment that it needs, from pinned and hashed dependencies. On the machine: python3 >= 3.11 with venv,
# make, git.
SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PYTHON ?=
export PYTHON
# Where an environment forbids it, every process would compile its modules anew, and pytest rewrite every test.
unexport PYTHONDONTWRITEBYTECODE

RUN := .venv-run/bin/python
RESOLUTION ?=
DEV := .venv/bin/python
PYTEST := $(DEV) -m pytest
# Tests run in as many processes as there are cores; one that is done early takes over tests of the others.
PARALLEL := -n auto --dist worksteal
PACKAGE ?= examples/edge-cluster-profile
UV ?= uv

.PHONY: help venv venv-run git run test check lint format conformance bench soak surroundings mutate e2e live upstream new golden generate proto docs lock wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: git ## the environment for development, .venv (RESOLUTION=lowest|newest: with those dependencies, until the next make)
	@$(if $(RESOLUTION),tools/resolved.sh $(RESOLUTION),tools/venv.sh .venv requirements/dev.txt)

venv-run:
	@tools/venv.sh .venv-run requirements/run.txt

git:
	@command -v git >/dev/null 2>&1 || { echo "git is missing. Install it, on Debian or Ubuntu: apt-get install git" >&2; exit 1; }

run: venv-run ## render an example package, show what changed, and make a page of it (PACKAGE=dir)
	@rm -rf build/run && mkdir -p build/run && cp -R $(PACKAGE)/. build/run
	@echo "krmkit render $(PACKAGE) --diff --write  (a copy of it, in build/run)"
	@$(RUN) -m krmkit.cli report build/run --output build/report.html
	@$(RUN) -m krmkit.cli render build/run --diff --write
	@echo "The same to look at, in a browser: build/report.html"

test: venv ## the tests that need nothing but Python, in minutes (FUNCTION=name: only those of that function)
	@test -z "$(FUNCTION)" || test -f "functions/$(FUNCTION)/function.yaml" || \
	  { echo "there is no function $(FUNCTION); there are: $$(ls functions | tr '\n' ' ')" >&2; exit 2; }
	@test -z "$(FUNCTION)" || $(DEV) -m tools.generate
	@$(PYTEST) $(PARALLEL) -q -m "not kpt and not images and not browser and not slow" $(if $(FUNCTION),--function "$(FUNCTION)") tests functions

check: lint ## lint, types, layers, drift of generated files
	@$(PYTEST) -q tests/meta

lint: venv ## lint and types, what of `make check` is not in `make test`
	@$(DEV) -m ruff check .
	@$(DEV) -m ruff format --check .
	@$(DEV) -m tools.typecheck

format: venv ## let ruff format and sort
	@$(DEV) -m ruff check --fix .
	@$(DEV) -m ruff format .

conformance: venv ## check against the records of the real systems in tests/conformance/records (VECTORS=dir: against others)
	@$(DEV) tests/conformance/run.py $(if $(VECTORS),"$(VECTORS)")

bench: venv ## measure, and write bench/RESULTS.md (ONLY=part of a module name; then nothing is written; GO=DIR: beside kpt's own functions)
	@$(if $(GO),KRMKIT_GO="$(abspath $(GO))" )$(DEV) -m tests.bench.run $(if $(ONLY),--only "$(ONLY)")

soak: venv ## mutated lists for an hour, through every function (SECONDS=n)
	@PYTHONPATH=shared $(DEV) -m tests.property.soak --seconds $(or $(SECONDS),3600)

surroundings: venv ## tests of HEAD in other places, as nobody, with other Pythons (NAMES="place nobody"; FULL=1: make test, make run)
	@$(DEV) -m tools.surroundings $(if $(FULL),--full) $(NAMES)

mutate: venv ## change a room of the library one place at a time: what no near test sees (ROOM=palette; COUNT=n, 0 for all; SEED=n)
	@test -n "$(ROOM)" || { echo "name a room below shared/krmkit: make mutate ROOM=palette" >&2; exit 2; }
	@$(DEV) -m tools.mutate "$(ROOM)" --count $(or $(COUNT),150) --seed $(or $(SEED),0)

upstream: venv ## what changed in the files that krmkit follows (REPO=dir: a checkout of a newer kpt, Porch, Cluster API, ...)
	@$(DEV) -m tools.upstream $(if $(REPO),"$(REPO)")

live: venv ## what plans say, compared with the Cluster API that KUBECONFIG names (see tests/live/README.md)
	@KRMKIT_LIVE=1 $(PYTEST) -m live tests/live

e2e: venv ## what `make test` leaves out: a real Chromium, the real kpt where it is on PATH, and what takes minutes
	@$(PYTEST) -m "(kpt or browser or slow) and not images" --require-kpt --require-browser tests

new: venv ## the folder of a new function (NAME=my-function)
	@test -n "$(NAME)" || { echo "name the function: make new NAME=my-function" >&2; exit 2; }
	@$(DEV) -m tools.new "$(NAME)"

golden: venv ## write .expected of the examples (FUNCTION=name, or all)
	@$(DEV) -m tools.generate
	@$(DEV) -m tools.golden $(FUNCTION)

generate: venv ## write everything that is generated from functions/*/function.yaml
	@$(DEV) -m tools.generate

proto: venv ## write the Python code of *.proto, beside them
	@$(DEV) -m tools.proto

docs: ## the site of the documents, in build/docs/site; a warning or a dead link fails it
	@tools/venv.sh .venv-docs requirements/docs.txt
	@.venv-docs/bin/python -m tools.docsite

lock: ## resolve requirements/*.in into hashed locks (needs uv)
	@for name in run cel serve extension preview spiff starlark fleet testing build dev docs image sbom; do \
	  $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --no-emit-find-links requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done

wheel: venv ## the wheel, in dist/
	@$(DEV) -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean: ## remove what was made, environments included
	@rm -rf .venv .venv-run .venv-docs .venv-sbom build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis shared/krmkit.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

include images.mk release.mk
