"""Keras's optimizers, with what its TensorFlow backend lacks.

The gradient of word vectors comes as one part for each occurrence of a word. Keras
passes the parts on, and an optimizer that squares the gradient then adds up the squares
of a word's parts in the place of squaring their sum: other steps than the published
rule's, and than those on JAX and PyTorch. Here the parts are added up first.

An update of Adam or Adadelta is a dozen operations, each of which reads and writes
arrays of the variable's size; TensorFlow has all of them in one. Trained word vectors
make that count: all of their moments move at every step.
"""

import keras
from keras import ops


class _Summed:
    """A base before an optimizer's that adds up the parts of sparse gradients."""

    def update_step(self, gradient, variable, learning_rate):
        if keras.backend.backend() != "tensorflow":
            return super().update_step(gradient, variable, learning_rate)
        import tensorflow as tf

        gradient = tf.convert_to_tensor(gradient, variable.dtype)
        if not self.update_at_once(tf, gradient, variable, learning_rate):
            super().update_step(gradient, variable, learning_rate)

    def update_at_once(self, tf, gradient, variable, learning_rate):
        """The update as one operation; `False` if there is none."""
        return False


@keras.saving.register_keras_serializable(package="dsa")
class Adam(_Summed, keras.optimizers.Adam):
    """Reference: Kingma & Ba 2015, arXiv:1412.6980, section 2, last paragraph."""

    def update_at_once(self, tf, gradient, variable, learning_rate):
        if self.amsgrad:
            return False
        index = self._get_variable_index(variable)
        step = ops.cast(self.iterations + 1, variable.dtype)
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
            grad=gradient,
        )
        return True


@keras.saving.register_keras_serializable(package="dsa")
class Adadelta(_Summed, keras.optimizers.Adadelta):
    """Reference: Zeiler 2012, arXiv:1212.5701, algorithm 1."""

    def update_at_once(self, tf, gradient, variable, learning_rate):
        index = self._get_variable_index(variable)
        tf.raw_ops.ResourceApplyAdadelta(
            var=variable.handle,
            accum=self._accumulated_grads[index].value.handle,
            accum_update=self._accumulated_delta_vars[index].value.handle,
            lr=ops.cast(learning_rate, variable.dtype),
            rho=self.rho,
            epsilon=self.epsilon,
            grad=gradient,
        )
        return True


@keras.saving.register_keras_serializable(package="dsa")
class Adagrad(_Summed, keras.optimizers.Adagrad):
    """Reference: Duchi et al. 2011, JMLR 12, figure 1."""


@keras.saving.register_keras_serializable(package="dsa")
class SGD(_Summed, keras.optimizers.SGD):
    """Stochastic gradient descent, with momentum or without."""
