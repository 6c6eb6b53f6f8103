import keras
import numpy as np
import pytest

from dsa.optimizers import Adam
from tests.layer_checks import numpy_of, randomize


def trained(kind, **settings):
    """Weights and optimizer variables behind five steps on word vectors."""
    words = keras.layers.Embedding(11, 4)
    layers = words, keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(2)
    model = keras.Sequential([keras.Input((3,), dtype="int32"), *layers])
    randomize(model)
    model.compile(kind(0.01, **settings), "mse", jit_compile=False)
    random = np.random.default_rng(0)
    for step in range(5):
        if step == 3:
            model.optimizer.learning_rate = 0.02
        ids = random.integers(0, 9, (6, 3), np.int32)  # some words never come
        model.train_on_batch(ids, random.normal(size=(6, 2)).astype(np.float32))
    variables = model.trainable_variables + model.optimizer.variables
    return {variable.path: numpy_of(variable) for variable in variables}


@pytest.mark.parametrize("settings", [{}, {"global_clipnorm": 0.1}, {"beta_1": 0.5}])
def test_adam_is_that_of_keras(settings):
    expected = trained(keras.optimizers.Adam, **settings)
    found = trained(Adam, **settings)
    for one, other in zip(expected.values(), found.values(), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-7)
