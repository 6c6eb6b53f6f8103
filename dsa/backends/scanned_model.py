"""Several training steps in one compiled program."""

import keras


class ScannedModel(keras.Model):
    """A model whose training step, on JAX, takes one batch, or several one after the
    other: `(inputs, labels, weights)`, or each of these with a leading axis of batches.

    Each call of a program hands over every weight and every moment of the optimizer. A
    program of several steps does that once. This is for GPUs, where a step may be over
    before the next one is called. No GPU has run it here; on a CPU it made a very small
    model faster, and nothing else (`results/benchmarks/NOTES.md`).
    """

    def train_step(self, state, data):
        import jax

        take_one_step = super().train_step
        if data[1].ndim == 1:
            return take_one_step(state, data)

        def step(state, batch):
            logs, state = take_one_step(state, batch)
            return state, logs

        state, logs = jax.lax.scan(step, state, data)
        return {name: values[-1] for name, values in logs.items()}, state


BaseModel = ScannedModel if keras.backend.backend() == "jax" else keras.Model
