import keras
import numpy as np
import pytest

from dsa.layers.pooled_encoder import PooledEncoder
from dsa.layers.source2token import Source2Token
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.classifiers.sentence_classifiers import SentenceClassifier
from dsa.models.dsa.encoder import DSAEncoder
from tests.support.equations import normalized_dense
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

IDS = np.array([[3, 4, 5, 6], [2, 1, 0, 0]], np.int32)


def classifier(encoder=None, **arguments):
    keras.utils.set_random_seed(1)
    model = SentenceClassifier(
        WordEmbedding(7, 5),
        encoder or PooledEncoder(Source2Token(name="source2token")),
        outputs=4,
        units=6,
        seed=1,
        **arguments,
    )
    model({"sentence": IDS})
    model.embedding.set_vectors(rand(7, 5))
    for layer in (model.encoder, model.hidden, model.logits):
        randomize(layer)
    return model


def test_it_classifies_the_sentence_vector_by_the_equations():
    model = classifier()
    vectors = numpy_of(model.encode(IDS)).astype(np.float64)
    hidden, logits = weights_of(model.hidden), weights_of(model.logits)
    features = normalized_dense(vectors, hidden, hidden["bias"])
    expected = np.maximum(features, 0) @ logits["kernel"] + logits["bias"]
    np.testing.assert_allclose(
        numpy_of(model({"sentence": IDS})), expected, rtol=1e-4, atol=1e-4
    )


def test_a_sentence_has_the_same_logits_alone_and_in_a_batch():
    model = classifier()
    together = numpy_of(model({"sentence": IDS}))
    alone = numpy_of(model({"sentence": IDS[1:, :2]}))
    np.testing.assert_allclose(together[1:], alone, rtol=1e-5, atol=1e-5)


def test_every_weight_learns():
    model = classifier()
    check_every_weight_learns(model, {"sentence": IDS}, [0, 3])


def test_the_maps_belong_to_the_sentence():
    logits, maps = classifier().explain({"sentence": IDS})
    assert logits.shape == (2, 4)
    assert [(one.sentence, one.name) for one in maps] == [("sentence", "source2token")]


def test_nan_in_the_vector_of_padding_does_not_change_the_logits():
    model = classifier(DSAEncoder(units=6, heads=3))
    expected = numpy_of(model({"sentence": IDS}))
    vectors = model.embedding.vectors()
    vectors[0] = np.nan  # id 0 is padding
    model.embedding.set_vectors(vectors)
    np.testing.assert_array_equal(numpy_of(model({"sentence": IDS})), expected)
