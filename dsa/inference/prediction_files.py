"""Predictions for the rows of a file."""

import json

from dsa.data.corpora.input_files import read_pairs, read_sentences
from dsa.experiment.run_folder import RunFolder
from dsa.inference.loading import load
from dsa.tasks.inputs import SINGLE

READERS = {SINGLE: (read_sentences, "id")}  # by a task's inputs; others read pairs


def predict_file(run, path, vectors=None, root=None):
    """The predictions of a run for a file, as JSON lines.

    Args:
        run: the run folder.
        path: a file of pairs or of sentences, as the run's task has them, see
            `dsa.data.corpora.input_files`; "-" for standard input.
        vectors: a vector file for words that the run lacks.
        root: the data root.

    Returns: a text, one line for each row, in the file's order: its `pairID` (`id` for
        a sentence) and what the task answers.

    Raises: as `load`, and `InputError` for a malformed file, before anything is loaded.
    """
    inputs = RunFolder(run).experiment().task.inputs
    read, name = READERS.get(inputs, (read_pairs, "pairID"))
    examples = list(read(path))
    predictions = load(run, vectors, root).predict_examples(examples, path)
    return "".join(
        json.dumps({name: example.name, **prediction._asdict()}) + "\n"
        for example, prediction in zip(examples, predictions, strict=True)
    )
