"""Several training steps in one program."""

import keras


class ScannedModel(keras.Model):
    """A model whose training step, on JAX, takes one batch or several, one after the
    other: `(inputs, labels, weights)`, or each with a leading axis of batches.

    A call of a program costs the handing over of every weight and moment, about as
    much as a very small model's step; of several steps in one program, once.
    """

    def train_step(self, state, data):
        import jax

        one = super().train_step
        if data[1].ndim == 1:
            return one(state, data)

        def step(state, batch):
            logs, state = one(state, batch)
            return state, logs

        state, logs = jax.lax.scan(step, state, data)
        return {name: values[-1] for name, values in logs.items()}, state


BaseModel = ScannedModel if keras.backend.backend() == "jax" else keras.Model
