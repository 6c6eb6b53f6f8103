"""Files of a training, found before Keras is loaded."""

import dataclasses
from pathlib import Path

from dsa.data.corpora.files import find_file, is_present
from dsa.data.corpora.hub_rows import is_address, resolve_revision
from dsa.data.words.vector_reader import VectorReader
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.training.start_weights import find_source


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Files of a training.

    Args:
        names: paths of the corpus files in the config, by split: train, dev, and mix
            with `data.mix`.
        corpora: these files on this machine, by split.
        vectors: reader of the word vectors of a new training; `None` for random
            vectors.
        test: test file of a new training, to compare its content with the other
            splits; `None` if it is missing.
        revisions: revisions of the data sets on a hub, by split.
        root: the data root, searched for WordNet.
        source: run that a new training starts from; `None` for initialized weights.
    """

    names: dict[str, str]
    corpora: dict[str, Path]
    vectors: VectorReader | None
    test: Path | None
    revisions: dict[str, str]
    root: Path
    source: RunFolder | None = None


def find_training_files(
    experiment: Experiment, root: Path, is_new: bool = True
) -> TrainingFiles:
    """Finds the files of a training below the data root.

    Args:
        experiment: the experiment of a training stage.
        root: the data root.
        is_new: whether the training starts at the first step. A resumed training reads
            neither vectors, test nor the run of `training.start_from`.

    Raises: `InputError` for a missing corpus or vector file, for vectors of another
        size than `embedding.units`, and as `find_source`. With a source, which has word
        vectors, the vector file may be missing.
    """
    data, embedding = experiment.data, experiment.embedding
    names = data.training_files
    corpora = {split: find_file(root, name) for split, name in names.items()}
    revisions = {
        split: resolve_revision(name)
        for split, name in names.items()
        if is_address(name)
    }
    vectors = test = source = None
    if is_new:
        source = find_source(experiment)
    if is_new and embedding.path and experiment.family.has_word_vectors:
        if source is None or is_present(root, embedding.path):
            path = find_file(root, embedding.path)
            vectors = VectorReader(path, embedding.units, embedding.lookup == "exact")
            vectors.check_size()
    if is_new and data.test and is_present(root, data.test):
        test = find_file(root, data.test)
    return TrainingFiles(names, corpora, vectors, test, revisions, root, source)
