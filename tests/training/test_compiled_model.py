import keras
import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.experiment.yaml_file import check_experiment
from dsa.training.compiled_model import compiled_model, parameters
from dsa.training.schedules import schedule_callbacks
from tests.support.runs import SETTINGS


def experiment(**training):
    settings = {**SETTINGS, "training": {**SETTINGS["training"], **training}}
    return check_experiment(settings, "here")


@pytest.mark.parametrize(
    ("settings", "kind", "expected"),
    [
        ({"name": "adam", "beta_1": 0.8}, "Adam", {"beta_1": 0.8, "epsilon": 1e-8}),
        ({"name": "adadelta", "rho": 0.9}, "Adadelta", {"rho": 0.9, "epsilon": 1e-8}),
        (
            {"name": "adagrad", "initial_accumulator_value": 0.0},
            "Adagrad",
            {"initial_accumulator_value": 0.0},
        ),
        (
            {"name": "sgd", "momentum": 0.9, "nesterov": True},
            "SGD",
            {"momentum": 0.9, "nesterov": True},
        ),
    ],
)
def test_the_optimizer_is_that_of_the_config(settings, kind, expected):
    model = compiled_model(
        experiment(optimizer=settings, clip_norm=5.0, learning_rate=0.25), 7
    )
    optimizer = model.optimizer
    assert isinstance(optimizer, getattr(keras.optimizers, kind))  # torch: its subclass
    assert float(keras.ops.convert_to_numpy(optimizer.learning_rate)) == 0.25
    assert optimizer.global_clipnorm == 5.0
    assert {name: getattr(optimizer, name) for name in expected} == expected


def test_parameters_are_counted_apart_from_the_embedding_table():
    model = compiled_model(experiment(), 7)
    count = parameters(model)
    assert count["embeddings"] == 7 * 8 and count["embeddings_trained"]
    everything = sum(int(np.prod(v.shape)) for v in model.trainable_variables)
    assert count["trainable_without_embeddings"] == everything - 7 * 8


def test_a_constant_schedule_without_early_stopping_decides_nothing():
    assert schedule_callbacks(experiment().training, "accuracy", None) == []


def test_the_schedule_watches_the_metric_of_the_task():
    halve, stop = schedule_callbacks(
        experiment(
            schedule={"name": "halve_on_plateau", "patience": 2}, early_stopping=4
        ).training,
        NLI.selects,
        None,
    )
    assert (halve.monitor, halve.factor, halve.patience) == ("val_accuracy", 0.5, 2)
    assert (stop.monitor, stop.patience, stop.mode) == ("val_accuracy", 4, "max")
