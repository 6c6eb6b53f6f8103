"""A model that does not fit into the memory is refused before it is built."""

import json
import pathlib

import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.models import memory
from dsa.models.registry import build_model
from dsa.system import environment

GIGABYTE = 10**9
SNLI = "configs/snli/dsa.yaml"
RESULTS = sorted(pathlib.Path("results/models").glob("*/environment.json"))


@pytest.fixture
def small_machine(monkeypatch):
    """A machine with 24 GB."""
    monkeypatch.setattr(memory, "measure_memory", lambda: 24 * GIGABYTE)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.parent.name)
def test_the_estimate_is_not_above_the_weights_of_measured_runs(path):
    experiment = load_experiment(path.with_name("config.yaml"))
    parameters = json.loads(path.read_text())["parameters"]
    share = memory.estimate_bytes(experiment) / (
        4 * parameters["trainable_without_embeddings"]
    )
    assert 0.3 < share <= 1 if experiment.family.has_word_vectors else share == 0


def test_the_table_counts_once_if_it_is_frozen_else_as_the_other_weights():
    experiment = load_experiment(SNLI)
    without = memory.estimate_bytes(experiment)
    assert memory.estimate_bytes(experiment, 10) == without + 4 * 10 * 300
    assert memory.estimate_bytes(experiment, 10, True) == 3 * without + 4 * 10 * 300
    trained = {"embedding": {"units": 300, "trainable": True}}
    experiment = load_experiment(SNLI, trained)
    assert memory.estimate_bytes(experiment, 10, True) == 3 * (without + 4 * 10 * 300)


@pytest.mark.parametrize("name", ["dsa", "disan", "bilstm", "bilstm_max", "multi_head"])
def test_a_model_of_a_million_units_is_refused(name, small_machine):
    model = {"name": name, "units": 10**6}
    experiment = load_experiment(SNLI, {"model": model})
    message = r"model: its weights need at least [0-9,]+ GB, this machine has 24"
    with pytest.raises(InputError, match=message):
        build_model(experiment, 5)


@pytest.mark.parametrize(
    "overrides",
    [
        {"model": {"name": "esim", "units": 10**6}},
        {"model.classifier.units": 10**6, "model.units": 4 * 10**3, "model.heads": 1},
        {"embedding.projection": 10**6, "embedding.units": 10**5},
        {"model": {"name": "cbow", "classifier": {"units": 10**6}}}
        | {"embedding.projection": 10**4},
    ],
)
def test_a_large_matrix_is_refused(overrides, small_machine):
    with pytest.raises(InputError, match="this machine has 24"):
        memory.check_size(load_experiment(SNLI, overrides))


def test_training_needs_three_times_as_much_as_use(monkeypatch):
    experiment = load_experiment(SNLI)
    needed = memory.estimate_bytes(experiment)
    monkeypatch.setattr(memory, "measure_memory", lambda: 2 * needed)
    memory.check_size(experiment)
    with pytest.raises(InputError, match="model: its weights need"):
        memory.check_size(experiment, training=True)


def test_nothing_is_refused_where_the_system_does_not_say(monkeypatch):
    monkeypatch.setattr(memory, "measure_memory", lambda: None)
    memory.check_size(load_experiment(SNLI, {"model.units": 10**6}))


def test_a_training_is_refused_before_anything_is_read(tmp_path, small_machine):
    from dsa.training.training_data import build_training_data

    experiment = load_experiment(SNLI, {"model.units": 10**6})
    with pytest.raises(InputError, match="this machine has 24"):
        build_training_data(experiment, tmp_path)


def test_the_memory_of_a_container_is_its_limit(tmp_path, monkeypatch):
    whole = environment.measure_memory()
    assert whole > 10**8
    limit, no_limit = tmp_path / "limit", tmp_path / "no_limit"
    limit.write_text("1000\n")
    no_limit.write_text("max\n")
    files = (no_limit, limit, tmp_path / "nothing")
    monkeypatch.setattr(environment, "MEMORY_LIMIT_FILES", files)
    assert environment.measure_memory() == 1000
    monkeypatch.setattr(environment, "MEMORY_LIMIT_FILES", (no_limit,))
    assert environment.measure_memory() >= whole


@pytest.mark.parametrize(
    ("key", "value", "most"),
    [
        ("training.batch_size", 10**30, 10**6),
        ("model.units", 10**9, 10**6),
        ("model.units", 10**30, 10**6),
        ("model.classifier.units", 10**8, 10**6),
        ("embedding.units", 10**7, 10**6),
        ("embedding.projection", 10**7, 10**6),
        ("training.epochs", 10**30, 10**9),
        ("training.steps", 10**10, 10**9),
        ("training.evaluate_from", 10**10, 10**9),
    ],
)
def test_a_size_that_no_machine_has_is_out_of_range(key, value, most):
    message = f"'{key}': input should be less than or equal to {most}. Received: 10"
    with pytest.raises(InputError, match=message):
        load_experiment(SNLI, {key: value})
