"""A part of a model as a compiled call, which needs no symbolic call before it."""

from typing import Any

import keras

from dsa.backends.compilation import compiles_each_shape


class CompiledCall(keras.Model):
    """A function of a model as a Keras model without weights of its own.

    `predict` and `predict_on_batch` compile it when they are first called.

    Args:
        model: the layer whose weights the function reads; any function without weights
            for none.
        compute: a function of one argument, (nested) tensors, to (nested) tensors.
        quick_start: whether TensorFlow does not compile the first `predict_on_batch`,
            which takes five times as long as the call: for a command that answers one
            question. What it gives can differ from later calls in the last bit.
    """

    def __init__(self, model, compute, quick_start=False):
        super().__init__()
        self.model = model
        self.compute = compute
        self.jit_compile = compiles_each_shape()
        self.built = True
        self._is_traced_next = not quick_start
        self._traced = None  # TensorFlow's function, once it was needed

    def call(self, inputs):
        return self.compute(inputs)

    def predict_on_batch(self, inputs: Any) -> Any:
        """What the function gives for arrays, as arrays.

        TensorFlow traces it once, for arrays of all sizes; Keras would trace it for the
        first size, and again at the next one.
        """
        if keras.backend.backend() != "tensorflow":
            return super().predict_on_batch(inputs)
        if self._traced is None and self._is_traced_next:
            self._traced = self._trace(inputs)
        self._is_traced_next = True
        tensors = keras.tree.map_structure(keras.ops.convert_to_tensor, inputs)
        outputs = (self._traced or self)(tensors)
        return keras.tree.map_structure(lambda tensor: tensor.numpy(), outputs)

    def _trace(self, inputs):
        import tensorflow as tf

        signature = keras.tree.map_structure(
            lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype), inputs
        )

        @tf.function(input_signature=[signature], jit_compile=self.jit_compile)
        def call(inputs):
            return self(inputs)

        return call.get_concrete_function()  # spares looking for it in each call
