PYTHON ?= python3
PYTHON313 ?= python3.13
GAME ?= blackjack
ROUNDS ?=
SECONDS ?= 60

VENV := .venv
BIN := $(VENV)/bin
NEEDS := sudo apt install git make python3-venv
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
PARALLEL := --numprocesses $(WORKERS) --maxprocesses 4 --dist worksteal
BENCHES := $(sort $(wildcard bench/*.py))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test soak lint bench mutants fuzz locks recordings contract flow external clean needs

help:
	@echo "make demo [ROUNDS=20] [GAME=blackjack|stud|baccarat]"
	@echo "            a simulated table, checked live; ends by itself after ROUNDS"
	@echo "make test   the tests, as CI runs them"
	@echo "make soak   the same with the full numbers"
	@echo "make lint   ruff and mypy"
	@echo "make bench  the measurements"
	@echo "make mutants  small changes of the dealing rules, and which of them no story notices (hours)"
	@echo "make fuzz [SECONDS=60]  a search for bytes that break a decoder, so long for each"
	@echo "make recordings  what the program makes of tests/recordings, anew: look at the difference"
	@echo "make contract  the contract's examples and docs/contract anew: look at the difference"
	@echo "make flow   deploy/node-red/shoewatch-flow.json anew from its parts"
	@echo "make external PYTHON313=python3.13  tables in a real Prometheus, Node-RED and Home Assistant; pictures for the docs"
	@echo "make locks  requirements/*.txt anew from pyproject.toml (needs uv)"
	@echo "make clean  remove the virtual environment and what the tools left"

demo: $(VENV)/.run
	@$(BIN)/shoewatch demo --game $(GAME) $(if $(ROUNDS),--rounds $(ROUNDS))

test: $(VENV)/.test
	$(BIN)/python -m pytest -m "not soak" $(PARALLEL)

soak: $(VENV)/.test
	$(BIN)/python -m pytest $(PARALLEL)

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/.test
	@set -e; for script in $(BENCHES); do echo "== $$script"; $(BIN)/python $$script; done

mutants: $(VENV)/.test
	@$(PIP) --no-build-isolation -e ".[mutation]"
	PYTHONPATH=tests $(BIN)/python -m mutation

fuzz: $(VENV)/.test
	@$(PIP) --no-build-isolation -e ".[fuzz]"
	$(BIN)/python -m fuzz --seconds $(SECONDS)

needs:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
		&& command -v git >/dev/null \
		|| { echo "Python 3.11 or newer with venv, or git, is missing. Install what is needed, then try again:" >&2; \
		     echo "    $(NEEDS)" >&2; exit 1; }

$(VENV)/.run $(VENV)/.test $(VENV)/.lint: $(VENV)/.%: requirements/%.txt pyproject.toml | needs
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing requirements/$*.txt into $(VENV) ..."
	@$(PIP) --require-hashes --only-binary :all: -r requirements/$*.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

recordings: $(VENV)/.test
	PYTHONPATH=. $(BIN)/python tests/replayed.py

contract: $(VENV)/.test
	PYTHONPATH=. $(BIN)/python tests/contract_examples.py
	$(BIN)/shoewatch schema write docs/contract

flow: $(VENV)/.test
	$(BIN)/python tests/node_red_flow.py

external: $(VENV)/.test
	PYTHONPATH=.:tests $(BIN)/python -m external.prometheus
	PYTHONPATH=.:tests $(BIN)/python -m external.node_red
	PYTHONPATH=.:tests $(BIN)/python -m external.home_assistant --python $(PYTHON313)

locks:
	@command -v uv >/dev/null || { echo "make locks needs uv: pip install uv" >&2; exit 1; }
	$(call lock,lint,--extra archive --extra broker --extra test --extra bench --extra lint)
	$(call lock,test,--extra archive --extra broker --extra test --extra bench --constraint requirements/lint.txt)
	$(call lock,run,--extra broker --constraint requirements/lint.txt)

lock = uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url \
	--custom-compile-command "make locks" $(2) --output-file requirements/$(1).txt pyproject.toml requirements/build.in

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
