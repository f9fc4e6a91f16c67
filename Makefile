# Two commands do everything on a machine with Python 3.11 or newer: `make solve` and `make test`.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := .venv/Scripts
else
PYTHON ?= python3
BIN := .venv/bin
endif

# Without bytecode every process that a test starts would compile the package's source anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: solve test fuzz chaos check kernels coverage docs release test-slow test-ray bench lock data clean test-machines

solve: .venv/installed
	$(BIN)/runout solve-preflop -c configs/smoke.yaml -o results/smoke --overwrite

# Kernels are compiled before the tests, once for both processes, on the core that the checks leave free.
test: .venv/installed
	$(MAKE) --jobs 2 --output-sync check kernels
	$(BIN)/pytest --numprocesses 2 --dist worksteal --durations 20

kernels: .venv/installed
	$(BIN)/runout warmup

check: .venv/installed docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The site of the documentation, into `site`; a link that leads nowhere is an error.
docs: .venv/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Builds and checks the files of a release and tags it; see CONTRIBUTING.md for the rest.
release: .venv/installed
	test -z "$$(git status --porcelain)"
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/pytest tests/integration/test_wheel.py
	git tag "v$$($(BIN)/hatchling version)"

# Compiled code cannot be traced, so the tests of kernels run once more with kernels as plain Python,
# where whole numbers may overflow.
coverage: kernels
	$(BIN)/pytest --numprocesses 2 --dist worksteal --cov runout --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -W "ignore:overflow:RuntimeWarning" --cov runout --cov-append \
		--cov-report term:skip-covered --numprocesses 2 $(wildcard tests/*/test_*_kernels.py)

test-slow: .venv/installed
	$(BIN)/pytest -m slow

# Ray is 80 MB and not in the lock; what is pinned there stays as it is.
test-ray: .venv/installed
	$(BIN)/python -m pip install --quiet 'ray>=2.40'
	$(BIN)/pytest -m "slow or not slow" tests/execution/test_ray_executor.py tests/integration/test_executors.py

# Pretends to be other processors; SHORT=--short is what CI runs.
test-machines: .venv/installed
	$(BIN)/python tools/test_machines.py $(SHORT)

# A million mutated inputs; a short form of it is among the tests.
fuzz: .venv/installed
	$(BIN)/python -m tools.fuzz

# A thousand kills, full disks, races and rubbish; see docs/storage.md.
chaos: .venv/installed
	$(BIN)/python -m tests.chaos

bench: .venv/installed
	$(BIN)/python -m benchmarks

# Rebuilds the shipped data files from nothing (see docs/equity.md and docs/cards.md).
data: .venv/installed
	$(BIN)/python -m tools.shipped_tables --write
	$(BIN)/python tools/choose_flop_subsets.py

# Pins every dependency, with digests, for all platforms. With their extras: pip looks for the newest
# `coverage[toml]` if only `coverage` is pinned, and refuses it.
lock: .venv/installed
	$(BIN)/pip install uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-strip-extras --no-emit-index-url --no-header -o requirements.lock

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("runout needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv
