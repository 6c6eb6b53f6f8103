import keras
import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.experiment.yaml_file import validate_settings
from dsa.training.optimization import count_parameters, list_variables_without_decay
from dsa.training.schedules import make_schedule_callbacks
from tests.support.compiled_models import compiled_model
from tests.support.layer_checks import numpy_of
from tests.support.runs import NO_DROPOUT, SETTINGS

pytestmark = pytest.mark.keras  # run on JAX in CI too


def experiment(model=SETTINGS["model"], **training):
    settings = {
        **SETTINGS,
        "model": model,
        "training": {**SETTINGS["training"], **training},
    }
    return validate_settings(settings, "here")


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
        (
            {"name": "adamw", "weight_decay": 0.2},
            "AdamW",
            {
                "weight_decay": 0.2,
                "use_ema": False,
                "gradient_accumulation_steps": None,
            },
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


def test_averages_and_accumulation_are_those_of_the_config():
    settings = {"use_ema": True, "ema_momentum": 0.7, "gradient_accumulation_steps": 5}
    optimizer = compiled_model(experiment(**settings), 7).optimizer
    assert {name: getattr(optimizer, name) for name in settings} == settings


BATCH = (
    {
        "premise": np.array([[1, 2, 3], [4, 5, 0]], np.int32),
        "hypothesis": np.array([[6, 2], [3, 1]], np.int32),
    },
    np.array([2, 0], np.int32),
)


def test_gradients_are_averaged_over_the_accumulated_batches():
    ends = []
    for accumulated in (1, 3):
        keras.utils.set_random_seed(5)
        settings = experiment(
            {**SETTINGS["model"], **NO_DROPOUT},
            optimizer={"name": "sgd"},
            learning_rate=1.0,
            gradient_accumulation_steps=accumulated,
        )
        model = compiled_model(settings, 7)
        model.embedding.set_vectors(np.random.default_rng(0).normal(size=(7, 8)))
        start = [numpy_of(v).copy() for v in model.trainable_variables]
        if accumulated > 1:
            for _ in range(2):  # without an update
                model.train_on_batch(*BATCH)
                for variable, old in zip(model.trainable_variables, start, strict=True):
                    np.testing.assert_array_equal(numpy_of(variable), old)
        model.train_on_batch(*BATCH)
        ends.append([numpy_of(v).copy() for v in model.trainable_variables])
    for once, accumulated in zip(*ends, strict=True):
        np.testing.assert_allclose(accumulated, once, rtol=1e-4, atol=1e-6)
    assert any((end != old).any() for end, old in zip(ends[0], start, strict=True))


def test_only_matrices_decay():
    """A step of SGD is a sum of the gradient's part and the decay's."""
    steps, rate = {}, 0.1
    for decay in (None, 0.5):
        keras.utils.set_random_seed(5)
        optimizer = {"name": "sgd", "weight_decay": decay}
        settings = experiment(
            {**SETTINGS["model"], **NO_DROPOUT}, optimizer=optimizer, learning_rate=rate
        )
        model = compiled_model(settings, 7)
        model.embedding.set_vectors(np.random.default_rng(0).normal(size=(7, 8)))
        before = [numpy_of(v).copy() for v in model.trainable_variables]
        model.train_on_batch(*BATCH)
        steps[decay] = [numpy_of(v) for v in model.trainable_variables]
    kept = {id(variable) for variable in list_variables_without_decay(model)}
    names = set()
    for variable, start, plain, decayed in zip(
        model.trainable_variables, before, steps[None], steps[0.5], strict=True
    ):
        names.add((variable.name, id(variable) in kept))
        share = 0 if id(variable) in kept else rate * 0.5
        np.testing.assert_allclose(plain - decayed, share * start, atol=1e-6)
    left_alone = {(name, True) for name in ("bias", "beta", "gamma", "embeddings")}
    assert names == {*left_alone, ("kernel", False)}


def test_the_second_row_of_a_bias_does_not_decay():
    classifier = {"units": 10}
    gru = experiment({"name": "gru", "units": 6, "classifier": classifier})
    kept = list_variables_without_decay(compiled_model(gru, 7))
    assert {len(v.shape) for v in kept if v.name == "bias"} == {1, 2}


def test_label_smoothing_spreads_a_share_of_the_target():
    logits = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    labels, weights = BATCH[1], np.array([1, 0.25], np.float32)
    targets = 0.7 * np.eye(3)[labels] + 0.3 / 3
    surprise = np.log(np.exp(logits).sum(-1, keepdims=True)) - logits
    expected = ((targets * surprise).sum(-1) * weights).sum() / 2
    model = compiled_model(experiment(label_smoothing=0.3), 7)
    loss = model.compute_loss(None, labels, logits, weights)
    np.testing.assert_allclose(numpy_of(loss), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"warmup_steps": 3, "schedule": {"name": "halve_every"}},
            "'training.warmup_steps' requires .*cosine_decay. Received: .*halve_every",
        ),
        (
            {"use_ema": True, "schedule": {"name": "halve_and_reload"}},
            "'training.use_ema' cannot be combined with .*: halve_and_reload'",
        ),
        ({"use_ema": True, "devices": "all"}, "'training.use_ema' requires"),
        (
            {"gradient_accumulation_steps": 2, "devices": "all"},
            "_accumulation_steps' above 1 requires 'training.devices: one'",
        ),
        ({"gradient_accumulation_steps": 0}, "greater than 0"),
        ({"label_smoothing": 1}, "less than 1"),
        ({"optimizer": {"name": "adamw", "weight_decay": None}}, "weight_decay"),
        ({"optimizer": {"name": "adam", "weight_decay": 0}}, "greater than 0"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message) as error:
        experiment(**settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("corpus", ["wikiqa", "sick"])
def test_label_smoothing_is_refused_where_no_label_is_predicted(corpus):
    data = {"corpus": corpus, "train": "train", "dev": "dev"}
    settings = {**SETTINGS, "data": data, "training": {"label_smoothing": 0.1}}
    message = f"'training.label_smoothing' requires .* 'data.corpus: {corpus}'"
    with pytest.raises(InputError, match=message):
        validate_settings(settings, "here")


def test_parameters_are_counted_apart_from_the_embedding_table():
    model = compiled_model(experiment(), 7)
    count = count_parameters(model)
    assert count["embeddings"] == 7 * 8 and count["embeddings_trained"]
    everything = sum(int(np.prod(v.shape)) for v in model.trainable_variables)
    assert count["trainable_without_embeddings"] == everything - 7 * 8


def test_a_constant_schedule_without_early_stopping_decides_nothing():
    assert make_schedule_callbacks(experiment().training, "accuracy", None) == []


def test_the_schedule_watches_the_metric_of_the_task():
    halve, stop = make_schedule_callbacks(
        experiment(
            schedule={"name": "halve_on_plateau", "patience": 2}, early_stopping=4
        ).training,
        NLI.selects,
        None,
    )
    assert (halve.monitor, halve.factor, halve.patience) == ("val_accuracy", 0.5, 2)
    assert (stop.monitor, stop.patience, stop.mode) == ("val_accuracy", 4, "max")
