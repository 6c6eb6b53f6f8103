import keras
import numpy as np
import pytest

from dsa.backends.optimizers import OPTIMIZERS
from dsa.data.corpora.catalogue import NLI, PARAPHRASE
from dsa.experiment.input_config import EmbeddingConfig
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.bcnn import config as settings
from dsa.models.bcnn.block import ConvolutionBlock
from dsa.models.bcnn.config import build_bcnn
from dsa.models.bcnn.network import BCNN
from dsa.models.model_config import ModelParts
from dsa.tasks.task import NONOVERLAP, PAIR
from tests.support import bcnn_equations as equations
from tests.support.ci_cases import first_on_jax
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

CONFIGS = {
    "bcnn": settings.BCNNConfig,
    "abcnn1": settings.ABCNN1Config,
    "abcnn2": settings.ABCNN2Config,
    "abcnn3": settings.ABCNN3Config,
}
ALL = [(name, blocks) for name in CONFIGS for blocks in (1, 2)]
WORDS, UNITS, WIDTH = 13, 6, 3


def make_model(name, convolutions=1, *, parts=(), **changes):
    """Returns a small model with random weights, all trainable."""
    changes = {"width": WIDTH, "filters": 5, "layerwise": False, **changes}
    config = CONFIGS[name](name=name, convolutions=convolutions, **changes)
    of_model = {
        "task": PARAPHRASE,
        "embedding": EmbeddingConfig(units=UNITS, trainable=True),
        "vocabulary_size": WORDS,
        "seed": 1,
        "copies": (PAIR,),
        "max_tokens": 12,
        **dict(parts),
    }
    model = build_bcnn(config, ModelParts(**of_model))
    randomize(model)
    vectors = rand(WORDS, of_model["embedding"].units, seed=3)
    vectors[0] = 100  # padding, which must have no effect
    model.embedding.set_vectors(vectors)
    return model


def make_batch(*lengths, rows=2, seed=0):
    """Returns random ids for sentences of these lengths, by input."""
    random = np.random.default_rng(seed)
    names = (*PAIR, *NONOVERLAP)[: len(lengths)]
    return {
        name: random.integers(1, WORDS, (rows, length)).astype(np.int32)
        for name, length in zip(names, lengths, strict=True)
    }


def classifier_features(model, batch):
    return numpy_of(model(batch, training=False, features_only=True))


def block_weights(block):
    """Returns the weights of a block for `equations.block`."""
    weights = {"kernel": block.convolution.convolution.kernel}
    weights["bias"] = block.convolution.convolution.bias
    if block.feature_map is not None:
        weights["map"] = block.feature_map.map
    return {name: numpy_of(w).astype(np.float64) for name, w in weights.items()}


def check_features(model, scale, *similarities):
    """Compares the features of a batch without padding with the equations."""
    batch = make_batch(5, 7)
    found = classifier_features(model, batch)
    vectors = model.embedding.vectors().astype(np.float64)
    for row in range(2):
        tokens = [vectors[batch[side][row]] for side in PAIR]
        pooled = [x.mean(axis=0) for x in tokens]
        expected = [similarity(*pooled) for similarity in similarities]
        for block in model.blocks:
            weights = block_weights(block)
            pooled, tokens = equations.block(*tokens, weights, WIDTH, scale)
            expected += [similarity(*pooled) for similarity in similarities]
        np.testing.assert_allclose(found[row], expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("name", "convolutions"), ALL)
def test_features_match_the_equations(name, convolutions):
    model = make_model(name, convolutions, similarity=["cosine", "euclid"])
    scale = "mean" if name in ("abcnn2", "abcnn3") else None
    check_features(model, scale, equations.cosine, equations.euclid)


@pytest.mark.parametrize(("name", "convolutions"), ALL)
def test_padding_changes_nothing(name, convolutions):
    model = make_model(name, convolutions, pooled_attention=4)
    batch = make_batch(5, 7)
    expected = classifier_features(model, batch)
    for side, more in (("premise", (3, 0)), ("hypothesis", (0, 4))):
        longer = {
            name: np.pad(ids, ((0, 0), (0, count)))
            for (name, ids), count in zip(batch.items(), more, strict=True)
        }
        np.testing.assert_allclose(
            classifier_features(model, longer),
            expected,
            rtol=1e-4,
            atol=1e-5,
            err_msg=side,
        )


@pytest.mark.parametrize(("name", "convolutions"), ALL)
def test_exchanging_the_sentences_changes_no_similarity(name, convolutions):
    model = make_model(name, convolutions)
    batch = make_batch(5, 7)
    exchanged = dict(zip(PAIR, reversed(batch.values()), strict=True))
    np.testing.assert_allclose(
        classifier_features(model, batch),
        classifier_features(model, exchanged),
        rtol=1e-4,
        atol=1e-6,
    )


@pytest.mark.parametrize(("all_ap", "equal"), [("plain", True), ("attended", False)])
def test_one_convolution_of_abcnn2_is_bcnn_unless_all_ap_is_attended(all_ap, equal):
    bcnn, abcnn2 = make_model("bcnn"), make_model("abcnn2", all_ap=all_ap)
    abcnn2.set_weights(bcnn.get_weights())
    batch = make_batch(5, 7)
    same = np.array_equal(
        classifier_features(bcnn, batch), classifier_features(abcnn2, batch)
    )
    assert same == equal


@pytest.mark.parametrize("scale", ["mean", "sum", "none"])
def test_the_scale_of_the_attention_is_a_setting(scale):
    model = make_model("abcnn2", 2, attention_scale=scale)
    check_features(model, scale, equations.cosine)


def test_word_vectors_are_compared_by_their_mean_or_by_their_sum():
    batch = make_batch(5, 7)
    for pool in ("mean", "sum"):
        model = make_model("bcnn", similarity=["euclid"], input_pool=pool)
        words = model.embedding.vectors().astype(np.float64)
        pooled = [getattr(words[batch[side]], pool)(axis=1) for side in PAIR]
        expected = [equations.euclid(*pair) for pair in zip(*pooled, strict=True)]
        found = classifier_features(model, batch)[:, 0]
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_filters_are_initialized_by_the_authors_or_glorots_rule():
    parts = ModelParts(
        PARAPHRASE, EmbeddingConfig(units=300, trainable=True), WORDS, 1, copies=(PAIR,)
    )
    for initializer, largest in (("authors", 0.0099), ("glorot_uniform", 0.0655)):
        config = CONFIGS["bcnn"](name="bcnn", initializer=initializer)
        (block,) = build_bcnn(config, parts).blocks
        kernel = numpy_of(block.convolution.convolution.kernel)
        assert np.abs(kernel).max() == pytest.approx(largest, rel=0.01)


@pytest.mark.parametrize(("name", "convolutions"), first_on_jax(reversed(ALL)))
def test_every_weight_learns_with_equal_sentences_in_the_batch(name, convolutions):
    model = make_model(name, convolutions, final_classifier="network")
    batch = make_batch(5, 7, rows=4)
    batch["premise"][0] = batch["hypothesis"][0, :5]
    same = {side: ids[:, :5] for side, ids in batch.items()}
    check_every_weight_learns(model, same, [0, 1, 0, 1])
    assert all(np.isfinite(numpy_of(w)).all() for w in model.weights)


# `abcnn.md`, section 4: d_0, task: BCNN one, two, stage 2; ABCNN-1 one, two, stage 2
COUNTS = {
    (300, "wikiqa"): (60_064, 70_116, 10_066, 132_064, 154_116, 22_066),
    (300, "msrp"): (45_096, 52_648, 7_598, 108_096, 126_148, 18_098),
    (300, "msrp, grids"): (45_160, 52_744, 7_694, 108_160, 126_244, 18_194),
    (300, "sick"): (45_149, 52_711, 7_661, 100_949, 117_811, 16_961),
    (50, "wikiqa"): (10_064, 20_116, 10_066, 22_064, 44_116, 22_066),
    (50, "msrp"): (7_596, 15_148, 7_598, 18_096, 36_148, 18_098),
    (50, "sick"): (7_649, 15_211, 7_661, 16_949, 33_811, 16_961),
}
TASKS = {  # changes of the model, parts
    "wikiqa": ({"width": 4}, {"max_tokens": 40, "features": 4}),
    "msrp": ({"similarity": ["euclid"]}, {"max_tokens": 60, "features": 20}),
    "msrp, grids": (
        {"similarity": ["euclid"], "pooled_attention": 4},
        {"max_tokens": 60, "features": 20},
    ),
    "sick": (
        {"similarity": ["cosine", "euclid"]},
        {"max_tokens": 36, "features": 24, "task": NLI, "copies": (PAIR, NONOVERLAP)},
    ),
}


def count(variables):
    return sum(int(np.prod(v.shape)) for v in variables)


@pytest.mark.parametrize(("units", "task"), COUNTS)
@pytest.mark.parametrize("name", CONFIGS)
def test_parameter_counts(units, task, name):
    changes, parts = TASKS[task]
    parts = {**parts, "embedding": EmbeddingConfig(units=units, trainable=True)}
    wide = name in ("abcnn1", "abcnn3")
    one, two, second = COUNTS[units, task][3 * wide : 3 * wide + 3]

    def count_trained(convolutions, layerwise):
        model = make_model(
            name,
            convolutions,
            parts=parts,
            **{"filters": 50, **changes},
            layerwise=layerwise,
        )
        return count(model.trainable_variables) - units * WORDS

    assert count_trained(1, True) == one
    assert count_trained(2, False) == two
    assert count_trained(2, True) == second


def test_two_copies_share_their_blocks_if_configured():
    parts = {"copies": (PAIR, NONOVERLAP)}
    shared = make_model("abcnn1", parts=parts)
    apart = make_model("abcnn1", parts=parts, share_copies=False)
    of_blocks = count(shared.blocks[0].weights)
    assert count(apart.weights) - count(shared.weights) == of_blocks
    batch = make_batch(5, 7, 2, 3)
    assert (
        classifier_features(shared, batch).shape
        == classifier_features(apart, batch).shape
        == (2, 4)
    )
    swapped = dict(zip(batch, [batch[n] for n in (*NONOVERLAP, *PAIR)], strict=True))
    np.testing.assert_allclose(
        classifier_features(shared, batch)[:, [2, 3, 0, 1]],
        classifier_features(shared, swapped),
        rtol=1e-4,
        atol=1e-6,
    )
    before = classifier_features(apart, batch)
    other = apart.other_blocks[0]
    other.set_weights([0 * weights for weights in other.get_weights()])
    after = classifier_features(apart, batch)
    np.testing.assert_allclose(after[:, :2], before[:, :2], rtol=1e-5)
    assert np.abs(after[:, 2:] - before[:, 2:]).max() > 1e-3


def test_adagrads_first_step_is_the_learning_rate():
    model = make_model("bcnn")
    before = [numpy_of(v).copy() for v in model.trainable_variables]
    model.compile(
        OPTIMIZERS["adagrad"](0.05, initial_accumulator_value=0.0, epsilon=1e-12),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    model.train_on_batch(make_batch(5, 7), np.array([0, 1]))
    for variable, old in zip(model.trainable_variables, before, strict=True):
        moved = np.abs(numpy_of(variable) - old)
        moved = moved[moved > 1e-6]  # words that no sentence has have no gradient
        assert moved.size
        np.testing.assert_allclose(moved, 0.05, rtol=1e-3)


def test_explain_returns_every_attention_matrix():
    parts = {"copies": (PAIR, NONOVERLAP)}
    model = make_model("abcnn3", 2, parts=parts)
    _, maps = model.explain(make_batch(5, 7, 2, 3, rows=1))
    names = [(one.sentence, one.name, tuple(one.values.shape)) for one in maps]
    edge = WIDTH - 1
    assert names == [
        (sides[0], f"{block}_{what}", (1, p + more, q + more))
        for sides, p, q in ((PAIR, 5, 7), (NONOVERLAP, 2, 3))
        for block in ("b2", "b3")
        for what, more in (("input_attention", 0), ("pooling_attention", edge))
    ]
    _, none = make_model("bcnn").explain(make_batch(5, 7))
    assert none == []


def test_abcnn2_returns_the_match_of_its_word_vectors():
    model, batch = make_model("abcnn2", 2), make_batch(3, 4, rows=1)
    _, maps = model.explain(batch)
    assert [one.name for one in maps] == [
        "b1_match",
        "b2_pooling_attention",
        "b3_pooling_attention",
    ]
    first, second = (numpy_of(model.embedding(batch[name]))[0] for name in PAIR)
    distances = np.linalg.norm(first[:, None] - second[None].astype(float), axis=-1)
    np.testing.assert_allclose(maps[0].values[0], 1 / (1 + distances), rtol=1e-4)


def test_the_decision_layer_is_not_trained():
    model = make_model("bcnn")
    model.set_decision(np.array([[1.0, 2], [3, 4]]), np.array([5.0, 6]))
    batch = make_batch(5, 7)
    features = classifier_features(model, batch).astype(np.float64)
    np.testing.assert_allclose(
        numpy_of(model(batch)), features @ [[1, 2], [3, 4]] + [5, 6], rtol=1e-5
    )
    trained = numpy_of(model(batch, training=True))
    assert not np.allclose(trained, numpy_of(model(batch)))
    assert not any("decision" in v.path for v in model.trainable_variables)


@pytest.mark.parametrize("argument", ["all_ap", "scale"])
def test_an_unknown_pooling_of_a_block_is_an_error(argument):
    message = f"`{argument}` must be one of .* Received: {argument}='max'$"
    with pytest.raises(ValueError, match=message):
        ConvolutionBlock(5, WIDTH, **{argument: "max"})


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize(
    ("argument", "value"), [("input_pool", "max"), ("similarity", ["max"])]
)
def test_an_unknown_choice_of_bcnn_is_an_error(argument, value):
    embedding = WordEmbedding(WORDS, UNITS)
    message = f"`{argument}` must be one of .* Received: {argument}='max'$"
    with pytest.raises(ValueError, match=message):
        BCNN(embedding, [PAIR], [ConvolutionBlock(5, WIDTH)], 2, **{argument: value})


def test_additional_features_follow_the_similarities():
    model, batch = make_model("bcnn", parts={"features": 3}), make_batch(5, 7)
    extra = rand(2, 3, seed=5)
    found, other = (
        classifier_features(model, {**batch, "features": values})
        for values in (extra, 0 * extra)
    )
    np.testing.assert_allclose(found[:, 2:], extra, rtol=1e-6)
    np.testing.assert_array_equal(found[:, :2], other[:, :2])


def test_filters_over_two_channels_have_the_range_of_the_authors():
    embedding = EmbeddingConfig(units=300, trainable=True)
    parts = ModelParts(PARAPHRASE, embedding, WORDS, 1, copies=(PAIR,), max_tokens=9)
    (block,) = build_bcnn(CONFIGS["abcnn1"](name="abcnn1"), parts).blocks
    kernel = numpy_of(block.convolution.convolution.kernel)
    limit = (6 / ((2 + 50) * 300 * 4)) ** 0.5
    assert np.abs(kernel).max() == pytest.approx(limit, rel=0.01)
