"""The examples in docstrings run."""

import doctest
import importlib
import pathlib

import pytest

import dsa
from dsa.inference.trained_model import TrainedModel

pytestmark = pytest.mark.keras  # run on JAX in CI too

PACKAGE = pathlib.Path(dsa.__file__).parent
REQUIRE_FILES = ("dsa.api.runs", "dsa.inference.trained_model")
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text()
}


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize("name", sorted(MODULES.difference(REQUIRE_FILES)))
def test_the_examples_of_a_module_run(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted and not results.failed


@pytest.mark.nightly_on_jax
def test_the_examples_of_explaining_run(finished):
    globals_ = {"model": dsa.load(finished / "run")}
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for method in (TrainedModel.explain, TrainedModel.explain_sentence):
        (examples,) = finder.find(method, method.__name__, globs=globals_)
        results = runner.run(examples)
        assert results.attempted and not results.failed
