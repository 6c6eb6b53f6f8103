"""Optimized layers, optimizers and batches train as the implementations of Keras."""

import itertools

import keras
import numpy as np
import pytest

from dsa.backends.compilation import compiles_each_shape
from dsa.backends.feed import feed
from dsa.backends.layer_normalization import LayerNormalization
from dsa.backends.optimizers import OPTIMIZERS
from dsa.experiment.yaml_file import load_experiment
from dsa.training.callbacks import LogCallback
from dsa.training.steps import Steps
from tests.data.batching.test_training_batches import batches
from tests.support.compiled_models import compiled_model
from tests.support.runs import NO_DROPOUT, write_frozen_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

STEPS, WORDS = 200, 210


class Losses(LogCallback):
    """Records the loss of each step from the running mean that Keras logs."""

    def on_train_begin(self, logs=None):
        self.sums = {0: 0.0}

    def on_logs(self, step, logs):
        self.sums[step] = logs["loss"] * step

    @property
    def losses(self):
        return np.diff([self.sums[step] for step in sorted(self.sums)])


def train(experiment, training_batches):
    """Returns the losses of 200 steps."""
    keras.utils.set_random_seed(0)
    model = compiled_model(experiment, WORDS)
    vectors = np.random.default_rng(1).normal(0, 0.4, (WORDS, 4)).astype(np.float32)
    model.embedding.set_vectors(vectors)
    losses = Losses(Steps(STEPS, STEPS))
    model.fit(
        feed(lambda: map(training_batches.make_batch, itertools.count())),
        steps_per_epoch=STEPS,
        shuffle=False,
        verbose=0,
        callbacks=[losses],
    )
    return losses.losses


@pytest.mark.slow
@pytest.mark.skipif(keras.backend.backend() == "torch", reason="uses the code of Keras")
def test_optimized_code_and_keras_have_the_same_loss_curve(tmp_path, monkeypatch):
    config = write_frozen_experiment(
        tmp_path,
        model=NO_DROPOUT,
        training={"learning_rate": 0.001},
    )
    experiment = load_experiment(config)
    training_batches = batches(n=96, max_shapes=4 if compiles_each_shape() else None)
    fast = train(experiment, training_batches)

    plain_call = keras.layers.LayerNormalization.call
    monkeypatch.setattr(LayerNormalization, "call", plain_call)
    monkeypatch.setitem(OPTIMIZERS, "adam", keras.optimizers.Adam)
    if compiles_each_shape():
        assert len(training_batches.shapes) > 1
        training_batches.shapes = training_batches.shapes[-1:]  # the largest shape
    plain = train(experiment, training_batches)
    assert len(fast) == len(plain) == STEPS
    assert plain[-10:].mean() < 0.8 * plain[:10].mean()
    if keras.backend.backend() == "tensorflow":
        assert (fast != plain).any()  # the operations differ, not only the padding
    np.testing.assert_allclose(fast, plain, atol=1e-3)
