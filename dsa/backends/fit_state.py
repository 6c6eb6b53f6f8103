"""A model's variables while Keras's `fit` runs."""


def update_variables(model):
    """Give the model's variables the values that `fit` has reached.

    On JAX, `fit` keeps the values elsewhere between two steps, and the variables are
    old. On the other backends the variables always have them: nothing is done.
    """
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
