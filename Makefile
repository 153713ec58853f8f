# The task runner. `make course` and `make test` do their own set-up.
PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/ready
CHAPTERS := $(notdir $(wildcard solutions/*))
PAGE_NUMPY := _build/numpy-2.0.2

.PHONY: course test test-numpy proof-wall proof-kill book exercises work demo grade claims links mistakes bench lint format clean help

help:                ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

course: book exercises work demo  ## build the book, make the exercises, grade the demo class
	@echo
	@echo "the book       _build/html/index.html"
	@echo "the exercises  work/<chapter>.ipynb   (yours to write in; as released: exercises/)"
	@echo "the gradebook  grading/demo/gradebook.db   (to look at it: GRADING=grading/demo .venv/bin/jupyter lab, menu Nbgrader, Formgrader)"
	@echo "the feedback   grading/demo/feedback/<student>/<chapter>/<chapter>.html"

test: $(READY) packages-test lint  ## run every test
	@echo "the first test builds the book: some minutes without a word"
	$(PY) -m pytest

test-numpy: $(PAGE_NUMPY)  ## test the references with NumPy 2.0.2, which the page runs (Python 3.11 or 3.12)
	PYTHONPATH=$< $(PY) -c 'import numpy; assert numpy.__version__ == "2.0.2", numpy.__version__'
	PYTHONPATH=$< $(PY) -m pytest tests/test_reference*.py

proof-kill: $(READY)  ## kill -9 of a run at 50 random moments: nothing is lost
	$(PY) -m tests.kill

proof-wall: $(READY) packages-test  ## every attack against the wall: by root, by a user, with and without bubblewrap
	$(PY) -m pytest tests/test_sandbox.py tests/test_hostile.py -m "proof or not proof"

book: $(READY)  ## build the book; any warning is an error
	.venv/bin/jupyter-book build . -W -n --keep-going

exercises: $(READY)  ## make exercises/ from solutions/; nobody's work is written over
	@$(PY) -m autograde.release
	@for chapter in $(CHAPTERS); do echo "exercise $$chapter"; GRADING=grading/demo .venv/bin/nbgrader generate_assignment $$chapter --force --log-level=ERROR || exit 1; done

work: $(READY)  ## copy the exercises into work/ to write in; what is there stays
	@mkdir -p work
	@for chapter in $(notdir $(wildcard exercises/*)); do test -e work/$$chapter.ipynb || cp exercises/$$chapter/$$chapter.ipynb work/; done

demo: $(READY)  ## grade the demo class and compare it with what is expected
	GRADING=grading/demo $(PY) -m tests.demo_class

grade: $(READY)  ## grade grading/submitted; make grade CHAPTER=attention OPTIONS="--workers 4"
	$(PY) -m autograde grade $(CHAPTER) $(OPTIONS)

claims: $(READY)  ## build the book and count its claims by verdict
	@mkdir -p _build; built=0; \
	.venv/bin/jupyter-book build . -W -n --keep-going >_build/claims.log 2>&1 || { built=1; tail -20 _build/claims.log; }; \
	$(PY) book/_ext/claims.py _build/html/claims.json && exit $$built

links: $(READY)  ## ask every address that the book links to (needs the network)
	.venv/bin/jupyter-book build . --builder linkcheck

mistakes: $(READY)  ## every wrong answer that the checks know: killed and told apart
	$(PY) -m tests.mistakes

bench: $(READY)  ## what a notebook costs, beside nbgrader as it comes
	$(PY) -m bench

lint: $(READY)  ## style, types, spelling, clean notebooks
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy autograde
	.venv/bin/codespell book solutions autograde README.md CONTRIBUTING.md
	.venv/bin/nbstripout --verify --keep-id --extra-keys metadata.language_info solutions/*/*.ipynb

format: $(READY)  ## what lint complains about, as far as a program can
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	.venv/bin/nbstripout --keep-id --extra-keys metadata.language_info solutions/*/*.ipynb

clean:  ## remove what was built; keeps .venv and grading/
	rm -rf _build

$(READY): requirements.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 13) or sys.exit(f"Python {v[0]}.{v[1]} found; needed: 3.11 to 3.13. Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@test -x $(PY) || $(PYTHON) -m venv .venv || { echo "cannot make .venv; on Debian: sudo apt install python3-venv"; exit 1; }
	@echo "setting up .venv: about 2 GB, some minutes"
	@.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt || \
	  { echo; echo "The packages in requirements.txt could not be installed. This first set-up needs the network (or a pip mirror); a later run needs neither."; exit 1; }
	@# Kernels warn of readers of this computer's own network, once for each page of the book.
	@mkdir -p .venv/etc/ipython && echo 'c.IPKernelApp.log_level = "ERROR"' >.venv/etc/ipython/ipython_kernel_config.py
	@touch $@

$(PAGE_NUMPY): $(READY)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --target $@ numpy==2.0.2

# The tests try the wall with bubblewrap, and need a browser and a database.
.PHONY: packages-test
packages-test:
	@test "$$(uname)" != Linux || command -v bwrap >/dev/null || { echo "missing: bubblewrap, with which the wall is tested. On Debian: sudo apt install bubblewrap"; exit 1; }
	@command -v chromium >/dev/null || { echo "missing: chromium, in which the page is tested. On Debian: sudo apt install chromium"; exit 1; }
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { echo "missing: postgresql, with which the gradebook is tested. On Debian: sudo apt install postgresql"; exit 1; }
