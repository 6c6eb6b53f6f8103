"""Attention models of natural-language inference, reproduced with Keras 3.

    import dsa

    run = dsa.train("configs/mini/dsa.yaml")
    dsa.evaluate(run, "test")
    dsa.load(run).predict([("A big dog chases a cat.", "An animal follows a cat.")])

Keras is imported when a function trains or loads a model, not when this package is
imported.
"""

from typing import TYPE_CHECKING, Any

from dsa.errors import InputError
from dsa.version import __version__

if TYPE_CHECKING:
    from dsa.api.results import (
        compare,
        curves,
        list_runs,
        plot_attention,
        plot_curves,
        robustness,
    )
    from dsa.api.runs import ensemble, evaluate, load, open_vectors
    from dsa.api.training import train
    from dsa.experiment.config import Experiment

__all__ = [
    "Experiment",
    "InputError",
    "__version__",
    "compare",
    "curves",
    "ensemble",
    "evaluate",
    "list_runs",
    "load",
    "open_vectors",
    "plot_attention",
    "plot_curves",
    "robustness",
    "train",
]


def __getattr__(name: str) -> Any:
    """Imports a public name on first use, so that `import dsa` is fast."""
    if name in __all__:
        from dsa.api import results, runs, training
        from dsa.backends.keras_import import prepare_keras
        from dsa.system.terminal import log_to_notebook

        prepare_keras()
        log_to_notebook()
        for module in (training, runs, results):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'dsa' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
