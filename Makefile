# One command to set up: make setup. One to check: make check. `make` alone lists them.
PYTHON ?= .venv/bin/python

help:            ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

setup:           ## a virtual environment with all that the checks need
	test -x .venv/bin/python || python3 -m venv .venv
	.venv/bin/pip install --quiet --editable '.[plots,fast,test,check]'

check:           ## format, lint, types, tests in parallel (FULL=1: a skip is a failure)
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	TWOWORLDS_FULL=$(FULL) $(PYTHON) -m pytest -q -n 2 tests

slow:            ## the long runs: 10^9 draws per law
	TWOWORLDS_SLOW=1 $(PYTHON) -m pytest -q -m slow tests

bench:           ## the benchmarks, beside their peers
	$(PYTHON) -m pip install --quiet -r benchmarks/requirements.txt
	for file in benchmarks/*.py; do $(PYTHON) $$file || exit 1; done

.PHONY: help setup check slow bench
