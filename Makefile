# `make train` and `make test` need Python 3.11 or later (with venv), pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: train test lint clean

train: $(VENV)/installed
	$(BIN)/python scripts/train.py configs/mini/dsa.yaml --resume
	$(BIN)/python scripts/evaluate.py runs/mini/dsa/seed-13 --split test
	@echo "The run is in runs/mini/dsa/seed-13, its numbers in metrics.json there."

test: $(VENV)/installed
	$(BIN)/python -m pytest

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

$(VENV)/installed: setup.py requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "Python 3.11 or later is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

clean:
	rm -rf $(VENV)
