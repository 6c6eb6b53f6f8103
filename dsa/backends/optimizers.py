"""Keras optimizers with dense gradients and fused updates on TensorFlow.

On TensorFlow, the gradient of word vectors is sparse (`IndexedSlices`), with one slice
per occurrence of a word. Clipping by norm and the second moment of Adam require the
square of the sum of these slices, but Keras computes the sum of their squares.
Therefore, the updates of Keras differ from the published rules, and from the updates on
JAX and PyTorch. The optimizers of this module sum the slices first, so that the
gradient is dense.

In Keras, an update of Adam or Adadelta consists of a dozen operations, each of which
reads and writes arrays of the size of the variable. The fused operation of TensorFlow
is faster, especially for trained word vectors, whose moments all change in every step.
`benchmarks/fast_forms.py` measures the speed-up.
"""

from typing import Any

import keras
from keras import ops

TENSORFLOW = keras.backend.backend() == "tensorflow"


class Summed:
    """Mixin that converts sparse gradients to dense gradients.

    It must be the first base class. It also sums the gradients of several devices
    before clipping; Keras would clip the gradients of each device separately.
    """

    def apply(self, grads, trainable_variables=None):
        import tensorflow as tf

        dense_grads = [None if g is None else tf.convert_to_tensor(g) for g in grads]
        optimizer: Any = super()
        variables = trainable_variables or optimizer._trainable_variables
        pairs = optimizer._all_reduce_sum_gradients(
            zip(dense_grads, variables, strict=True)
        )
        return optimizer.apply([gradient for gradient, _ in pairs], trainable_variables)

    def _all_reduce_sum_gradients(self, grads_and_vars):
        return grads_and_vars  # `apply` has summed the gradients


class SummedAdam(Summed, keras.optimizers.Adam):
    """Adam with the fused operation of TensorFlow.

    Reference: Kingma & Ba 2015, arXiv:1412.6980, section 2, last paragraph.
    """

    def update_step(self, gradient, variable, learning_rate):
        if self.amsgrad:
            return super().update_step(gradient, variable, learning_rate)
        import tensorflow as tf

        index = self._get_variable_index(variable)
        iterations: Any = self.iterations
        step = ops.cast(iterations + 1, variable.dtype)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=ops.power(ops.cast(self.beta_1, variable.dtype), step),
            beta2_power=ops.power(ops.cast(self.beta_2, variable.dtype), step),
            lr=ops.cast(learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=ops.cast(gradient, variable.dtype),
        )


class SummedAdamW(SummedAdam, keras.optimizers.AdamW):
    """AdamW with the fused operation of TensorFlow.

    Reference: Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2.
    """


class SummedAdadelta(Summed, keras.optimizers.Adadelta):
    """Adadelta with the fused operation of TensorFlow.

    Reference: Zeiler 2012, arXiv:1212.5701, algorithm 1.
    """

    def update_step(self, grad, variable, learning_rate):
        import tensorflow as tf

        index = self._get_variable_index(variable)
        tf.raw_ops.ResourceApplyAdadelta(
            var=variable.handle,
            accum=self._accumulated_grads[index].value.handle,
            accum_update=self._accumulated_delta_vars[index].value.handle,
            lr=ops.cast(learning_rate, variable.dtype),
            rho=self.rho,
            epsilon=self.epsilon,
            grad=ops.cast(grad, variable.dtype),
        )


class SummedAdagrad(Summed, keras.optimizers.Adagrad):
    """Adagrad with dense gradients.

    Reference: Duchi et al. 2011, JMLR 12, figure 1.
    """


class SummedSGD(Summed, keras.optimizers.SGD):
    """Stochastic gradient descent with dense gradients, optionally with momentum."""


OPTIMIZERS = {
    "adam": SummedAdam if TENSORFLOW else keras.optimizers.Adam,
    "adamw": SummedAdamW if TENSORFLOW else keras.optimizers.AdamW,
    "adadelta": SummedAdadelta if TENSORFLOW else keras.optimizers.Adadelta,
    "adagrad": SummedAdagrad if TENSORFLOW else keras.optimizers.Adagrad,
    "sgd": SummedSGD if TENSORFLOW else keras.optimizers.SGD,
}
