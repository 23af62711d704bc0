# `make` alone says what there is to make. Everything sets itself up into .venv first.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory --no-builtin-rules

SEEDS ?= 1000
# How many processes the tests use.
JOBS ?= 2

BIN := .venv/bin
READY := .venv/ready

.PHONY: help demo test check swarm swarm-compiled bench docs lock clean

help:  ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

$(READY): pyproject.toml requirements.lock tools/set_up.sh
	@tools/set_up.sh
	@touch $@

demo: $(READY)  ## Photons through a phantom on all cores for 40 s, with pictures and a report
	@$(BIN)/manyhands run photons --deadline 40s

test: $(READY)  ## Run every test, then 500 simulated campaigns (less than 5 minutes)
	@$(BIN)/pytest -q -n $(JOBS)
	@$(BIN)/manyhands swarm --seeds 0:500 --every-row

check: $(READY)  ## Check style and types, run the fast tests (less than a minute)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy --strict
	@$(BIN)/pytest -q -n $(JOBS) -m "not slow"

swarm: $(READY)  ## Run SEEDS=1000 random simulated campaigns, stop at a broken promise
	@$(BIN)/manyhands swarm --seeds 0:$(SEEDS)

swarm-compiled: $(READY)  ## The same, compiled with mypyc first (minutes): twice as fast
	@mkdir -p build
	@$(BIN)/python tools/compile_swarm.py >build/compile.log 2>&1 || { tail -n 30 build/compile.log >&2; exit 1; }
	@PYTHONPATH=build/compiled $(BIN)/manyhands swarm --seeds 0:$(SEEDS)

bench: $(READY)  ## Measure the speeds that the project promises
	@$(BIN)/python -m benchmarks

docs: $(READY)  ## Draw the life-cycle diagrams from the code's tables
	@$(BIN)/python tools/draw_life_cycles.py

lock:  ## Write requirements.lock anew with the latest versions
	@tools/lock.sh

clean:  ## Remove .venv and all that tools leave behind
	@rm -rf .venv .set_up.log .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -rf src/*.egg-info
