"""What every layer test needs: arrays, weights by name, and one check of the basics."""

import keras
import numpy as np
from keras import ops


def rand(*shape, seed=0):
    """Standard normal float32 numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def numpy_of(x):
    return ops.convert_to_numpy(x)


def randomize(layer, seed=9):
    """Give every weight of a layer a random value, biases and gains included."""
    for number, weight in enumerate(layer.trainable_variables):
        values = rand(*weight.shape, seed=seed + number)
        weight.assign(0.5 * values + ("gamma" in weight.name))


def weights_of(layer):
    """The weights of a layer as a nested dictionary of float64 arrays, by path.

    Paths start after the layer's own name; `dense` and `layer_norm` are left out:
    `query/dense/kernel` is `["query"]["kernel"]`.
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
    """A layer survives its config, a symbolic and an eager call, and bfloat16.

    Args:
        make: a function from keyword arguments to a layer.
        inputs: float arrays of the call.
        weights: number of weight arrays.
        call: further arguments of the call, such as a mask.
    """
    layer = make()
    eager = layer(*inputs, **call)
    assert len(layer.weights) == weights

    symbolic = make()(*[keras.KerasTensor(x.shape) for x in inputs], **call)
    assert symbolic.shape == tuple(eager.shape)

    copy = type(layer).from_config(layer.get_config())
    copy(*inputs, **call)
    copy.set_weights(layer.get_weights())
    np.testing.assert_allclose(
        numpy_of(copy(*inputs, **call)), numpy_of(eager), rtol=1e-5, atol=1e-6
    )

    half = make(dtype="mixed_bfloat16")
    half_inputs = [ops.cast(x, "bfloat16") for x in inputs]
    output = half(*half_inputs, **call)
    half.set_weights(layer.get_weights())
    output = numpy_of(ops.cast(half(*half_inputs, **call), "float32"))
    assert np.abs(output - numpy_of(eager)).max() < 0.2


def check_every_weight_learns(model, inputs, labels):
    """Three steps of training move every trainable weight of a classifier."""
    model.compile(
        keras.optimizers.Adam(0.01),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=False,
    )
    before = [numpy_of(v).copy() for v in model.trainable_variables]
    for _ in range(3):
        model.train_on_batch(inputs, np.array(labels))
    for variable, old in zip(model.trainable_variables, before, strict=True):
        assert np.abs(numpy_of(variable) - old).max() > 0, variable.path


def values_by_name(maps):
    """The arrays of a list of `TokenMap`s, by name."""
    return {one.name: numpy_of(one.values) for one in maps}
