"""The vector file that a run's new words are looked up in."""

from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.system.folders import data_root


def find_vector_file(experiment, vectors=None, root=None):
    """The path of the file; `None` for none.

    Args:
        experiment: the run's `Experiment`.
        vectors: the file that the user names; `None` for that of the config, where it
            can be found.
        root: the data root that the config's path is relative to.

    Raises: `InputError` for a file that is given to a run that trained its vectors.
    """
    config = experiment.embedding
    if not (experiment.family.is_network and config.can_look_up):
        if vectors is not None and experiment.family.is_network:
            raise InputError(
                "this run trained its word vectors: vectors of a file do not fit them"
            )
        return None
    if vectors is not None:
        return find_file("", vectors)
    try:
        return find_file(data_root(root), config.path)
    except InputError:
        return None
