"""Trained runs that are looked at beside each other."""

from dsa.analysis.run_names import name_runs, refuse_other_tasks
from dsa.inference.loading import load


def load_runs(folders, vectors=None, root=None):
    """Load runs of one task: `{short name: TrainedModel}`, in the order of the folders.

    Args:
        folders: run folders.
        vectors, root: see `dsa.load`.

    Raises: `InputError` for runs that answer differently.
    """
    trained = [load(folder, vectors, root) for folder in folders]
    refuse_other_tasks(trained)
    return dict(zip(name_runs(trained), trained, strict=True))
