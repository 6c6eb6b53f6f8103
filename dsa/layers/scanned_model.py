"""Several training steps in one program."""

import keras


class ScannedModel(keras.Model):
    """A model whose training step, on JAX, takes one batch or several, one after the
    other: `(inputs, labels, weights)`, or each with a leading axis of batches.

    Between two programs, JAX hands every weight and moment from one to the next; on
    an accelerator that takes longer than a small batch's step.
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


TrainedModel = ScannedModel if keras.backend.backend() == "jax" else keras.Model
