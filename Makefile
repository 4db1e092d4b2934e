# The two commands of a newcomer are `make study` and `make test`.
PYTHON ?= python3
VENV   := .venv
ifeq ($(OS),Windows_NT)
BIN    := $(VENV)/Scripts
else
BIN    := $(VENV)/bin
endif
JOBS   ?= auto
FAMILY ?=

.PHONY: study test check lint format bench docs lab dist hooks coverage clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per extra: an install runs again only when pyproject.toml changes.
$(VENV)/.%-installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

study: $(VENV)/.study-installed  ## study the bundled data set
	rm -rf build/study
	$(BIN)/shallows study --out build/study

# The pages are tested in a real browser. Debian's is installed where that is possible.
.PHONY: browser
browser:
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; } \
	  || echo "No Chromium here: the browser tests will be skipped."

test: lint browser  ## everything that must hold
	$(BIN)/python -m pytest -n $(JOBS)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) -m kernel tests

check: $(VENV)/.test-installed  ## the quick part of the tests
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not fuzz"

SEED ?= 0
.PHONY: fuzz
fuzz: $(VENV)/.test-installed  ## hostile data and parameters for everything, about 20 minutes
	PYTHONPATH=tests $(BIN)/python -m fuzz --seed $(SEED) --seconds 1200
	$(BIN)/python -m pytest -n $(JOBS) -m fuzz tests

lint: $(VENV)/.test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	git ls-files '*.py' '*.md' '*.toml' | xargs $(BIN)/codespell

format: $(VENV)/.test-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench-installed  ## make bench FAMILY=cluster runs a part
	$(BIN)/python benchmarks/run.py $(FAMILY)

DATA   ?= data/study
BUDGET ?= 10
.PHONY: promises
promises: $(VENV)/.bench-installed  ## studies against default methods; DATA=folder BUDGET=seconds
	$(BIN)/python benchmarks/promises/rivals.py run --data $(DATA) --raw build/rivals.jsonl --budget $(BUDGET)
	$(BIN)/python benchmarks/promises/rivals.py table --raw build/rivals.jsonl

.PHONY: first-call
first-call: $(VENV)/.bench-installed  ## what the first call of each estimator costs
	$(BIN)/python benchmarks/first_call.py $(FAMILY)

CLASSES ?=
.PHONY: sklearn-suite
sklearn-suite: $(VENV)/.test-installed  ## scikit-learn's own tests, on our classes of the same name
	$(BIN)/python -m benchmarks.sklearn_suite $(CLASSES) --failures

.PHONY: patched-suite
patched-suite: $(VENV)/.test-installed  ## scikit-learn's own tests with its classes on our kernels
	$(BIN)/python benchmarks/accelerate/suite.py $(MODULES)

docs: $(VENV)/.docs-installed
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

lab: $(VENV)/.lab-installed  ## run every experiment and write its page
	$(BIN)/shallows run --all --out build/lab

dist: $(VENV)/.test-installed  ## a wheel and a source distribution
	rm -rf dist
	$(BIN)/python -m build --outdir dist

hooks: $(VENV)/.test-installed  ## let git run the linters before each commit
	$(BIN)/pre-commit install

COVERAGE := $(BIN)/python -m coverage run --branch --source shallows --parallel-mode
coverage: $(VENV)/.test-installed  ## share of lines and branches that the tests reach
	rm -f .coverage .coverage.*
	$(COVERAGE) -m pytest -q -m "not slow and not fuzz"
	NUMBA_DISABLE_JIT=1 $(COVERAGE) -m pytest -q -m kernel tests
	$(BIN)/python -m coverage combine
	$(BIN)/python -m coverage report --skip-covered --sort cover

clean:
	rm -rf build .cache docs/_build .pytest_cache .mypy_cache .ruff_cache
