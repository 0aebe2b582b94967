# Only Python 3.11 or newer and make are assumed; everything else is installed into .venv on first use.
.DEFAULT_GOAL := help
.PHONY: help setup setup-run demo test exact attack check fmt proto bench docs lock clean

PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# One process for each core; the tests of a file share one, with what they start.
PARALLEL := -n auto --dist loadfile
MEMBERS := engine proto runner sdk arena workers
export PYTHONDONTWRITEBYTECODE :=

help: ## This list
	@echo "Guandan Arena. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
		|| sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST)

demo: setup-run ## A rated Swiss night of eight bots from nothing; Ctrl-C ends it (ONCE=1: end after the audit)
	@$(BIN)/python -m demo $(if $(ONCE),--once)

test: setup ## Everything: what `make check` checks, then all tests (a tenth of the exact ones)
	@$(BIN)/python scripts/check.py; checked=$$?; \
		$(BIN)/python -m pytest $(PARALLEL) $(ARGS); tested=$$?; \
		test $$checked -eq 0 || echo "make check failed: see above"; \
		test $$checked -eq 0 -a $$tested -eq 0

exact: setup ## The exact tests in full: long
	GUANDAN_EXACT=1 $(BIN)/python -m pytest tests/exact -n auto --dist load $(ARGS)

attack: setup ## Every attack against every sandbox; writes build/attacks.md and the copy in docs/
	@GUANDAN_PUBLISH_ATTACKS=1 $(BIN)/python -m pytest tests/security/test_attacks.py $(ARGS)

check: setup ## Lint, format, types, import contracts, protocol, docs, tracked files
	@$(BIN)/python scripts/check.py

fmt: setup ## Format the code and repair what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only .

proto: setup ## Generate the protocol's code again
	$(BIN)/python proto/generate.py

bench: setup ## Measure; prints a table and writes bench.json (STRENGTH=1: how strong the reference bots are; half an hour)
	$(BIN)/python -m tests.bench.$(if $(STRENGTH),strength,run) $(ARGS)

docs: setup ## Build the documentation into build/site
	$(BIN)/python -m mkdocs build --strict --quiet

lock: setup ## Compile requirements/*.txt again (UPGRADE=1: newest versions)
	$(BIN)/python scripts/lock.py $(if $(UPGRADE),--upgrade)

clean: ## Remove .venv, caches and what was built; data in var/ stays
	rm -rf .venv build dist site bench.json .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find $(MEMBERS) tests scripts demo -name __pycache__ -type d -prune -exec rm -rf {} +

setup: ## Install for development into .venv
	@$(call need-python) && "$(PYTHON)" scripts/setup.py dev

setup-run:
	@$(call need-python) && "$(PYTHON)" scripts/setup.py run

need-python = test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (Debian: apt-get install python3 python3-venv)" >&2; exit 2; }
