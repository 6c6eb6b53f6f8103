"""Optimizers whose update is one operation on TensorFlow."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="dsa")
class Adam(keras.optimizers.Adam):
    """Keras's optimizer with the same variables.

    On TensorFlow, outside of XLA, its update is a dozen operations, each of which reads
    and writes arrays of the variable's size; TensorFlow has all of them in one, equal
    up to rounding. Trained word vectors make most of the variables: of a vocabulary of
    40,000 words, 12 million numbers, all of which Adam moves at every step.

    Reference: Kingma & Ba 2015, arXiv:1412.6980, section 2, last paragraph.
    """

    def update_step(self, gradient, variable, learning_rate):
        if keras.backend.backend() != "tensorflow" or self.amsgrad:
            return super().update_step(gradient, variable, learning_rate)
        import tensorflow as tf

        index = self._get_variable_index(variable)
        moments = self._momentums[index], self._velocities[index]
        step = ops.cast(self.iterations + 1, variable.dtype)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=moments[0].value.handle,
            v=moments[1].value.handle,
            beta1_power=ops.power(ops.cast(self.beta_1, variable.dtype), step),
            beta2_power=ops.power(ops.cast(self.beta_2, variable.dtype), step),
            lr=ops.cast(learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=tf.convert_to_tensor(gradient, variable.dtype),
        )
