import keras
import numpy as np
import pytest

from dsa.layers.pooled_encoder import PooledEncoder
from dsa.layers.source2token import Source2Token
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.classifiers.sentence_classifiers import RelatednessRegressor
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.score_divergence import ScoreDivergence
from tests.support.layer_checks import numpy_of, rand, randomize, weights_of

pytestmark = pytest.mark.keras  # run on JAX in CI too

FIRST = np.array([[3, 4, 5, 6], [2, 1, 0, 0]], np.int32)
SECOND = np.array([[3, 0], [5, 6]], np.int32)
INPUTS = {"premise": FIRST, "hypothesis": SECOND}


def regressor():
    keras.utils.set_random_seed(1)
    model = RelatednessRegressor(
        WordEmbedding(7, 5),
        PooledEncoder(Source2Token(name="source2token")),
        outputs=5,
        units=6,
        layer_norm=False,
        seed=1,
    )
    model(INPUTS)
    model.embedding.set_vectors(rand(7, 5))
    for layer in (model.encoder, model.hidden, model.logits):
        randomize(layer)
    return model


def test_it_matches_the_equations_of_tai_et_al():
    model = regressor()
    u, v = (numpy_of(model.encode(ids)).astype(np.float64) for ids in (FIRST, SECOND))
    hidden, logits = weights_of(model.hidden), weights_of(model.logits)
    product, difference = np.split(hidden["kernel"], 2)  # the two matrices of the paper
    features = (u * v) @ product + np.abs(u - v) @ difference + hidden["bias"]
    expected = np.maximum(features, 0) @ logits["kernel"] + logits["bias"]
    np.testing.assert_allclose(numpy_of(model(INPUTS)), expected, rtol=1e-4, atol=1e-4)


def test_the_order_of_the_sentences_does_not_matter():
    model = regressor()
    swapped = {"premise": SECOND, "hypothesis": FIRST}
    np.testing.assert_allclose(
        numpy_of(model(INPUTS)), numpy_of(model(swapped)), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("lowest", [0, 1])
def test_the_loss_equals_the_loss_of_the_metrics(lowest):
    logits, scores = rand(4, 5), np.array([1, 2.25, 3.9, 4], np.float32)
    loss = ScoreDivergence(lowest)
    task = Relatedness("here", lowest, lowest + 4)
    expected = task.metrics(logits, scores)["loss"]
    for shape in ((4,), (4, 1)):  # Keras adds a second axis to labels
        assert float(loss(scores.reshape(shape), logits)) == pytest.approx(
            expected, rel=1e-5
        )
    assert ScoreDivergence.from_config(loss.get_config()).lowest == lowest


def test_every_weight_learns_and_the_loss_falls():
    model = regressor()
    model.compile(keras.optimizers.Adam(0.03), ScoreDivergence(1), jit_compile=False)
    before = [numpy_of(v).copy() for v in model.trainable_variables]
    scores = np.array([1.5, 4.7], np.float32)
    losses = [float(model.train_on_batch(INPUTS, scores)) for _ in range(30)]
    for variable, old in zip(model.trainable_variables, before, strict=True):
        assert np.abs(numpy_of(variable) - old).max() > 0, variable.path
    assert losses[-1] < losses[0] / 2
