"""Attention models of natural-language inference, reproduced with Keras 3.

    import dsa
    model = dsa.load("runs/snli/dsa/seed-13")
    model.predict([("A man sleeps.", "Nobody is awake.")])

Importing this package imports no Keras; loading a run does.
"""

from dsa.version import __version__  # noqa: F401


def load(run, vectors=None, root=None):
    """Load a trained run, see `dsa.inference.loading.load`."""
    from dsa.inference import loading

    return loading.load(run, vectors, root)
