"""Measure how much trained ABCNNs use their attention.

    python -m tools.attention_use runs/word2vec --data-root DATA --out attention.csv

For each finished run CORPUS/MODEL/seed-N of ABCNN-1, -2 or -3 below the folder, dev is
evaluated three times with the trained weights: with attention, with uniform weights in
the pooling (sections 3 and 4.2 of Yin et al. 2016), and with attention feature maps of
zeros (section 4.1). A difference of 0 means that the network does not use this
attention. The coefficient of variation (standard deviation / mean) of the pooling
weights of a sentence is 0 for uniform weights; the column `variation` is its mean over
the sentences of dev, in the first block.

Writes a CSV file with a line per run. Test is not evaluated.
"""

import argparse
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.runs.run_folder import is_finished
from dsa.runs.studies import list_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.terminal import show
from dsa.system.text_tables import format_csv

MODELS = ("abcnn1", "abcnn2", "abcnn3")
DIGITS = 6
BATCH_SIZE = 64


def measure_run(run, root):
    """Returns the line of a run, a dictionary.

    Args:
        run: the `RunFolder` of an ABCNN.
        root: the data root.
    """
    from dsa.evaluation.evaluate import evaluate_split
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load

    def evaluate(change=None):
        trained = load(run, root=root)
        if change:
            for block in trained.model.all_blocks:
                change(block)
        rows = find_split(trained, root, "dev")
        entry, _ = evaluate_split(trained, rows)
        return trained, rows, entry[trained.task.selects]

    trained, rows, attended = evaluate()
    line = {"attended": attended, "uniform_pooling": None, "without_maps": None}
    line["variation"] = None
    block = trained.model.all_blocks[0]
    if block.attends_pooling:
        _, _, line["uniform_pooling"] = evaluate(_use_uniform_pooling)
        line["variation"] = measure_variation(trained, rows.prepared)
    if block.feature_map is not None:
        _, _, line["without_maps"] = evaluate(_clear_feature_map)
    return {
        key: "" if value is None else f"{value:.{DIGITS}f}"
        for key, value in line.items()
    }


def _use_uniform_pooling(block):
    block.attends_pooling = False


def _clear_feature_map(block):
    if block.feature_map is not None:
        block.feature_map.map.assign(np.zeros(block.feature_map.map.shape))


def measure_variation(trained, prepared):
    """Returns the mean coefficient of variation of the pooling weights of a sentence.

    Args:
        trained: the trained model, an ABCNN-2 or ABCNN-3.
        prepared: the `PreparedCorpus`.
    """
    from keras import ops

    from dsa.inference.row_reading import read_labelled_rows

    model = trained.with_words_of(prepared)
    rows = read_labelled_rows(model.reader, model.vocabulary, prepared)
    variations = []
    for start in range(0, len(rows), BATCH_SIZE):
        batch = np.arange(start, min(start + BATCH_SIZE, len(rows)))
        maps = []
        inputs = rows.pad(batch, rows.lengths[batch].max(axis=0))
        model.model.classifier_inputs(inputs, maps=maps)
        scores = next(m for m in maps if m.what == "pooling_attention").values
        for matrix in ops.convert_to_numpy(scores):  # 0 at padding
            for axis in (0, 1):
                weights = matrix.sum(axis=axis)
                weights = weights[weights > 0]
                variations.append(weights.std() / weights.mean())
    return float(np.mean(variations))


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the run folders")
    parser.add_argument("--data-root", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="CSV file")
    options = parser.parse_args(arguments)
    lines = []
    for run in list_runs(options.folder):
        if run.experiment().model.name not in MODELS or not is_finished(run):
            continue
        corpus, model, seed = run.path.relative_to(options.folder).parts
        name = {"corpus": corpus, "model": model, "run": seed}
        lines.append({**name, **measure_run(run, options.data_root)})
        show(", ".join(lines[-1].values()))
    if not lines:
        raise InputError(f"{options.folder}: no finished run of an ABCNN")
    write_atomically(options.out, format_csv(lines))


if __name__ == "__main__":
    raise SystemExit(main())
