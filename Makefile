# `make train` and `make test` require Python 3.11 or later (with venv), pip and make.
PYTHON ?= python3
# Lock file of $(VENV); for a GPU: `make train ENVIRONMENT=tensorflow-gpu`.
ENVIRONMENT ?= tensorflow
VENV := .venv
INSTALLED := $(shell cat $(VENV)/installed 2> /dev/null)
ifneq ($(INSTALLED),$(if $(INSTALLED),$(ENVIRONMENT)))
ifneq ($(MAKECMDGOALS),clean)
$(error $(VENV) contains the environment $(INSTALLED): rm -r $(VENV), or ENVIRONMENT=$(INSTALLED))
endif
endif
BIN := $(VENV)/bin
JAX := .venv-jax
TORCH := .venv-torch
PAGE := .venv-page
CLUSTER := .venv-cluster
SERVE := .venv-serve
HUB := .venv-hub
DOCS := .venv-docs
LOCK := .venv-lock
MEASURED := results/benchmarks
# Live demonstration of the site: an exported model and the ONNX runtime from npm.
DEMO := build/demo
ONNX_WEB := onnxruntime-web-1.30.0
ONNX_WEB_SHA256 := d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71

# One process per core; the tests of a file share a process and its trained runs.
PYTEST := -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: train announce-train test test-slow test-jax test-exhaustive test-backend \
  test-all test-page test-cluster test-serve test-hub test-package test-faults fuzz lint tables \
  docs figures check-results benchmark benchmark-forms benchmark-data benchmark-serving \
  constraints audit advisories clean

train: announce-train $(VENV)/installed
	$(BIN)/python scripts/train.py configs/mini/dsa.yaml --resume
	$(BIN)/python scripts/evaluate.py runs/mini/dsa/seed-13 --split test
	@echo "The run is in runs/mini/dsa/seed-13, its numbers in metrics.json there."

# The times are measured with benchmarks/first_run.py.
announce-train:
	@test -e $(VENV)/installed || \
	  echo "Installs into $(VENV), 3 GB: about 2 minutes with a fast connection."
	@echo "Trains and evaluates: about 2 minutes on two cores."

# Fast tests. The markers are described in pyproject.toml.
test: $(VENV)/installed
	$(BIN)/python $(PYTEST) -m "not slow"

test-slow: $(VENV)/installed
	$(BIN)/python $(PYTEST) -m "slow and not exhaustive"

test-jax: $(VENV)/installed $(JAX)/installed
	KERAS_BACKEND=jax $(JAX)/bin/python $(PYTEST) -m "keras and not exhaustive and not nightly_on_jax"

test-exhaustive: $(VENV)/installed $(JAX)/installed
	$(BIN)/python $(PYTEST) -m exhaustive
	KERAS_BACKEND=jax $(JAX)/bin/python $(PYTEST) -m "keras and (exhaustive or nightly_on_jax)"

# Fast Keras tests on another backend: make test-backend ENVIRONMENT=jax
test-backend: $(VENV)/installed
	KERAS_BACKEND=$(ENVIRONMENT) $(BIN)/python $(PYTEST) -m "keras and not slow"

# All tests on three backends, and the tests that require another environment.
test-all: $(VENV)/installed $(JAX)/installed $(TORCH)/installed
	$(BIN)/python $(PYTEST)
	KERAS_BACKEND=jax $(JAX)/bin/python $(PYTEST)
	KERAS_BACKEND=torch $(TORCH)/bin/python $(PYTEST)
	$(MAKE) test-page test-cluster test-serve test-hub test-package

# Fuzzing of the file readers: make fuzz SECONDS=3600 SEED=7
fuzz: $(VENV)/installed
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1)

# Training and bulk jobs killed at random times: make test-faults KILLS=200 SEED=7
test-faults: $(VENV)/installed
	$(BIN)/python -m tests.support.random_kills $(or $(KILLS),50) $(or $(SEED),1)

# Tests of the page in headless Chromium; skipped if Chromium is not installed.
test-page: $(PAGE)/installed $(DEMO)/ready
	$(PAGE)/bin/python -m pytest -rs tests/page

# Tests of jobs on a local Ray cluster with three nodes.
test-cluster: $(CLUSTER)/installed
	$(CLUSTER)/bin/python -m pytest -rs tests/cluster

# Tests of the service over HTTP.
test-serve: $(SERVE)/installed
	$(SERVE)/bin/python -m pytest -rs tests/inference/serving

# Tests of data sets and runs on a Hugging Face hub, replaced by a local server, and of
# pandas frames.
test-hub: $(HUB)/installed
	$(HUB)/bin/python -m pytest -rs tests/hub tests/data/corpora/test_hub_rows.py \
	  tests/inference/test_python_inputs.py tests/api/test_results.py tests/docs/test_corpora.py

# Builds and checks the wheel and the sdist, and installs them into new environments.
test-package: $(VENV)/installed
	$(BIN)/python -m pytest -v tests/package

benchmark: $(VENV)/installed $(TORCH)/installed
	$(BIN)/python benchmarks/train_step.py --out $(MEASURED)/train_step.json --name tensorflow
	$(BIN)/python benchmarks/plain_step.py --out $(MEASURED)/plain_step.json --name dsa
	$(BIN)/python benchmarks/encoding.py --out $(MEASURED)/encoding.json --name in_memory
	$(BIN)/python benchmarks/latency.py --out $(MEASURED)/latency.json --name in_process
	$(BIN)/python -m tools.docs_tables $(MEASURED)/NOTES.md docs/scaling.md

benchmark-forms: $(VENV)/installed
	$(BIN)/python benchmarks/fast_forms.py --out $(MEASURED)/fast_forms.json

benchmark-data: $(VENV)/installed
	$(BIN)/python benchmarks/vectors.py --out $(MEASURED)/preparation.json --name vectors
	$(BIN)/python benchmarks/preparation.py $(if $(RUN),--run $(RUN)) \
	  --out $(MEASURED)/preparation.json --name corpus

benchmark-serving: $(SERVE)/installed
	$(SERVE)/bin/python benchmarks/serving.py --out $(MEASURED)/serving.json

# Recomputes all paired comparisons in results/ from the stored predictions.
check-results: $(VENV)/installed
	$(BIN)/python -m tools.comparisons --check
	$(BIN)/python -m tools.word_frequencies --check
	$(BIN)/python -m tools.learning_curves --check
	$(BIN)/python -m tools.small_data_tables --check

# Regenerates the tables of README.md, docs/ and results/ from the records in results/.
tables: $(VENV)/installed
	$(BIN)/python -m tools.docs_tables

# Regenerates the figures of results/ from the committed numbers.
figures: $(VENV)/installed
	$(BIN)/python -m tools.figures

# Builds the site of docs/ in build/site. Dead links and warnings are errors.
docs: $(DOCS)/installed $(DEMO)/ready
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

$(DEMO)/ready: tools/demo_model.py dsa/hub/snli.zip $(VENV)/installed
	@command -v npm > /dev/null || { echo "The live demonstration of the site requires npm"; exit 1; }
	mkdir -p $(DEMO)
	$(BIN)/python -m tools.demo_model --out $(DEMO)
	cd $(DEMO) && npm pack --silent $(subst web-,web@,$(ONNX_WEB)) > /dev/null
	echo "$(ONNX_WEB_SHA256)  $(DEMO)/$(ONNX_WEB).tgz" | sha256sum --check --quiet
	tar -xzf $(DEMO)/$(ONNX_WEB).tgz -C $(DEMO) --strip-components 2 \
	  $(addprefix package/dist/ort,.wasm.min.mjs -wasm-simd-threaded.mjs -wasm-simd-threaded.wasm)
	rm $(DEMO)/$(ONNX_WEB).tgz
	touch $@

# Writes the lock files of all environments: make constraints UPGRADE=--upgrade
constraints: $(LOCK)/installed
	PATH=$(CURDIR)/$(LOCK)/bin:$$PATH $(PYTHON) -m tools.lock_environments $(UPGRADE)

# Checks licences and locked versions; writes the bill of materials (CycloneDX).
audit: $(VENV)/installed
	$(BIN)/python -m tools.audit $(ENVIRONMENT)

# Fetches the current advisories from pypi.org for `make audit`.
advisories: $(LOCK)/installed
	PATH=$(CURDIR)/$(LOCK)/bin:$$PATH $(PYTHON) -m tools.advisories

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m tools.lint_workflows

$(VENV)/installed: setup.py constraints/$(ENVIRONMENT).txt
	$(call install,$(VENV),$(ENVIRONMENT))

# .venv-NAME is installed from constraints/NAME.txt
.venv-%/installed: setup.py constraints/%.txt
	$(call install,.venv-$*,$*)

$(LOCK)/installed:
	$(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python -m pip install --quiet "uv>=0.9,<1" "pip-audit>=2.9,<3"
	touch $@

# The package itself has no hash, so it is installed without --require-hashes.
define install
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "Python 3.11 or later is required: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install --quiet --require-hashes -r constraints/$(2).txt
	$(1)/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	echo $(2) > $@
endef

clean:
	rm -rf $(VENV) $(JAX) $(TORCH) $(PAGE) $(CLUSTER) $(SERVE) $(HUB) $(DOCS) $(LOCK)
