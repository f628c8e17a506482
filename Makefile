# Two commands: `make run` shows the journal of this machine, `make test` proves that it works.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-hosts lint bench reference picture clean

run: $(VENV)/.installed ## ingest what is found on this machine, or the sample sessions, and show it
	@BIN=$(BIN) sh scripts/run.sh

test: $(VENV)/.tests-installed ## run the whole test suite
	@home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && HOME="$$home" JOURNAL_HOME="$$home/journal" $(BIN)/python -m pytest -q -n 2

CLIENTS ?= $(HOME)/.cache/journal-clients

test-hosts: $(VENV)/.tests-installed ## run the hooks in the four real clients, without network; installs them from npm into a cache folder
	npm install --silent --prefix $(CLIENTS) @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 @github/copilot@1.0.102
	$(BIN)/python tests/clients/run.py --clients $(CLIENTS)

lint: $(VENV)/.tests-installed ## formatters, types and layers
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

reference: $(VENV)/.tests-installed ## write the pages of docs/reference that follow from the code
	$(BIN)/python scripts/reference.py

picture: $(VENV)/.tests-installed ## draw docs/journal.svg from what the commands print
	$(BIN)/python scripts/picture.py

bench: $(VENV)/.tests-installed ## print the table of docs/reference/performance.md
	$(BIN)/python tests/bench/measure.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install -q -c constraints.txt -e .
	@$(BIN)/python -m pip install -q -c constraints.txt -e '.[search]' || echo 'Search by meaning could not be installed (the extra `search`): search goes by words.'
	@touch $@

$(VENV)/.tests-installed: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[test]'
	@touch $@ $(VENV)/.installed

clean: ## remove what the other targets made
	rm -rf $(VENV) .run
