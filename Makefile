# Needs make and Python >= 3.11; every target sets up what it needs in .venv, once.
# `make PYTHON=python3.13 test` chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# not compiled: most of what is installed is never imported, and what is, compiles itself once
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
PYTEST := $(BIN)/python -m pytest
# how tests are spread over processes; PARALLEL= runs them in one
PARALLEL ?= -n auto --dist loadfile --no-loadscope-reorder
# the files of slow tests: a process that looked for them in all files would take three times as long
SLOW = $(shell grep -rlF --include='test_*.py' mark.slow tests)

# a caller's environment must not leak into ours
unexport PYTHONHOME PYTHONPATH VIRTUAL_ENV PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV
# nor may it forbid bytecode: every process that a test starts would compile all it imports again
unexport PYTHONDONTWRITEBYTECODE
# one thread of linear algebra per test process: more only get in each other's way
test slow arms experiments papers: export OPENBLAS_NUM_THREADS ?= 1
test slow arms experiments papers: export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test slow same browser arms experiments papers lint format docs words site versions bench bench-quick bench-web clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F '|' '{printf "%-16s %s\n", $$1, $$2}'

demo: $(VENV)/.installed ## the main job on bundled published tables
	@$(BIN)/evenhand demo

test: $(VENV)/.installed-dev ## all tests but the slow ones, in a few minutes; ALL=1 those too, in one run
	$(PYTEST) $(PARALLEL) --durations 50 $(if $(ALL),-m "slow or not slow")

slow: $(VENV)/.installed-dev ## the slow acceptance experiments, with their counts
	$(PYTEST) $(PARALLEL) -m slow -rP --durations 50 $(SLOW)

same: $(VENV)/.installed-dev ## do all commands answer as they did? ONLY=rank some, KEEP=1 keeps anew, TEXT=1 text too
	PYTHONPATH=tests $(BIN)/python -m corpus $(ONLY) $(if $(KEEP),--keep) $(if $(TEXT),--text)

browser: $(VENV)/.installed-dev ## judges at the keyboard of a real browser; pictures in .pictures/
	EVENHAND_SCREENSHOTS=.pictures $(PYTEST) -m "slow or not slow" tests/web/test_judge_page.py \
	  tests/web/test_three_judges.py tests/web/test_accessibility.py

arms: $(VENV)/.installed-dev ## do rank sets hold the true ranks? one table, with the rivals' columns
	PYTHONPATH=tests $(BIN)/python -m experiments.rank_arms

experiments: $(VENV)/.installed-dev ## all experiments with known truth, ONLY="FILE ..." some; keeps their counts as one table
	PYTHONPATH=tests $(BIN)/python -m experiments.table $(ONLY)

papers: export EVENHAND_WHOLE := 1
papers: $(VENV)/.installed-dev ## repeat the numbers of docs/papers/, about an hour: which agree, and where missing data are
	$(PYTEST) $(PARALLEL) -m "slow or not slow" -rpfs -k "(_page.py or papers) and not links" tests/test_*_page.py tests/test_docs.py

lint: $(VENV)/.installed-dev ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev ## put the code into the house's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-dev ## check the documentation: links, names, examples; KEEP=1 writes outputs anew
	$(if $(KEEP),PYTHONPATH=tests $(BIN)/python -m kept_pages)
	$(PYTEST) tests/test_docs.py tests/test_pages.py

words: $(VENV)/.installed-dev ## take new sentences of judges' pages into the catalogues, where they wait for a translation
	PYTHONPATH=tests $(BIN)/python -m catalogues

# not --quiet: what is not said is not counted, and strict would pass
site: export NO_MKDOCS_2_WARNING := 1
site: $(VENV)/.installed-dev ## the documentation as a site in site/, strictly, and what must hold of it
	$(BIN)/python -m mkdocs build --strict
	EVENHAND_SITE=site $(PYTEST) tests/site

# a version of the site is that of all its patches: 0.1 of 0.1.3
SITE_VERSION ?= $(shell sed -n 's/^__version__ = "\([0-9]*\.[0-9]*\).*/\1/p' src/evenhand/__init__.py)
versions: export NO_MKDOCS_2_WARNING := 1
versions: export SITE_VERSIONS := mike
versions: $(VENV)/.installed-dev ## commit this version's site, with a menu of versions, to the branch gh-pages; PUSH=1 pushes it
	PATH="$(CURDIR)/$(BIN):$$PATH" mike deploy --update-aliases $(if $(PUSH),--push) $(SITE_VERSION) latest
	$(BIN)/mike set-default $(if $(PUSH),--push) latest

bench: $(VENV)/.installed-bench ## every figure on cost, beside the peers; says what got slower
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/.installed-bench ## the same on small files
	$(BIN)/python -m benchmarks --quick

bench-web: $(VENV)/.installed ## a server under load beside pearmut, in one run
	$(BIN)/python -m benchmarks.web

clean: ## remove the environment and what tools left behind
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# A stamp is made last, so a set-up that was interrupted starts again.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error  $(PYTHON) is not Python 3.11 or newer: call make PYTHON=..." >&2; exit 2; }
	@echo "setup  $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "setup  evenhand"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml
	@echo "setup  evenhand, linters, and the software that tests compare with"
	@$(PIP) --editable '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-bench: $(VENV)/.made pyproject.toml
	@echo "setup  evenhand and the peers it is measured with"
	@$(PIP) --editable '.[bench]'
	@touch $(VENV)/.installed $@
