"""Helpers of layer tests: arrays, weights by name, checks of layers and models."""

import keras
import numpy as np
from keras import ops


def rand(*shape, seed=0):
    """Returns a float32 array of standard normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def numpy_of(x):
    return ops.convert_to_numpy(x)


def randomize(layer, seed=9):
    """Sets all trainable weights of a layer to random values, also biases and gains."""
    for number, weight in enumerate(layer.trainable_variables):
        values = rand(*weight.shape, seed=seed + number)
        weight.assign(0.5 * values + ("gamma" in weight.name))


def weights_of(layer):
    """Returns the weights of a layer as a nested dictionary of float64 arrays.

    The keys are the parts of the path after the layer's name, without `dense` and
    `layer_norm`: `query/dense/kernel` is `["query"]["kernel"]`.
    """
    nested = {}
    for variable in layer.weights:
        path = variable.path.split("/")
        path = path[path.index(layer.name) + 1 :]
        path = [name for name in path if name not in ("dense", "layer_norm")]
        section = nested
        for name in path[:-1]:
            section = section.setdefault(name, {})
        section[path[-1]] = numpy_of(variable).astype(np.float64)
    return nested


def check_layer(make, *inputs, weights, **call):
    """Checks config round trip, symbolic and eager call, weight count, bfloat16 and, if
    the layer has a dropout rate, that training differs from inference.

    Args:
        make: function that takes keyword arguments and returns the layer.
        inputs: float arrays, the inputs of the call.
        weights: expected number of weight arrays.
        call: additional arguments of the call, such as a mask.
    """
    layer = make()
    eager = layer(*inputs, **call)
    assert len(layer.weights) == weights

    symbolic = make()(*[keras.KerasTensor(x.shape) for x in inputs], **call)
    assert symbolic.shape == tuple(eager.shape)

    copy = type(layer).from_config(layer.get_config())
    for name in ("dropout", "seed"):  # without effect on the outputs below
        assert getattr(copy, name, None) == getattr(layer, name, None), name
    copy(*inputs, **call)
    copy.set_weights(layer.get_weights())
    np.testing.assert_allclose(
        numpy_of(copy(*inputs, **call)), numpy_of(eager), rtol=1e-5, atol=1e-6
    )

    if getattr(layer, "dropout", 0):
        trained = numpy_of(layer(*inputs, training=True, **call))
        assert np.abs(trained - numpy_of(eager)).max() > 1e-3

    half = make(dtype="mixed_bfloat16")
    half_inputs = [ops.cast(x, "bfloat16") for x in inputs]
    output = half(*half_inputs, **call)
    half.set_weights(layer.get_weights())
    output = numpy_of(ops.cast(half(*half_inputs, **call), "float32"))
    assert np.abs(output - numpy_of(eager)).max() < 0.2


def check_every_weight_learns(model, inputs, labels, without_effect=None):
    """Checks that three training steps change every trainable weight of a model.

    Weight decay would change weights that do not affect the loss, so it is removed.

    Args:
        model: the model.
        inputs: arrays by input.
        labels: label of each row.
        without_effect: end of the paths of weights that do not affect the loss.
    """
    for variable in model.trainable_variables:
        variable.regularizer = None
    model.compile(
        keras.optimizers.Adam(0.01),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=False,
        run_eagerly=True,  # tracing takes longer than three steps
    )
    before = [numpy_of(v).copy() for v in model.trainable_variables]
    for _ in range(3):
        model.train_on_batch(inputs, np.array(labels))
    for variable, old in zip(model.trainable_variables, before, strict=True):
        if without_effect is None or not variable.path.endswith(without_effect):
            assert np.abs(numpy_of(variable) - old).max() > 1e-5, variable.path


def values_by_name(maps):
    """Returns the arrays of a list of `TokenMap`s by name."""
    return {token_map.name: numpy_of(token_map.values) for token_map in maps}
