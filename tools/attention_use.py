"""Evaluate trained ABCNNs without their attention.

    python -m tools.attention_use FOLDER ... --data-root DATA --out attention.csv

For each finished run CORPUS/MODEL/seed-N of BCNN, ABCNN-1, -2 or -3 below a folder, the
trained network is evaluated on dev. The output has a line per run with its vector file
and the metric

- `attended`: without changes;
- `mean_scores`: with feature maps (section 4.1 of Yin et al. 2016) in which all match
  scores of a pair are replaced by their mean, so that all tokens of a sentence have the
  same features, which depend on the length of the other sentence and this mean only;
- `without_maps`: with feature maps of zeros;
- `uniform_pooling`: with uniform weights in the pooling (sections 3 and 4.2).

`variation` is the coefficient of variation (standard deviation / mean) of the pooling
weights of a sentence in the first block, averaged over the sentences. It is 0 for
uniform weights. Nothing is trained again, and test is not evaluated.
"""

import argparse
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.runs.run_folder import is_finished
from dsa.runs.studies import exclude_stages, list_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.terminal import show
from dsa.system.text_tables import format_csv

MODELS = ("bcnn", "abcnn1", "abcnn2", "abcnn3")
COLUMNS = (
    "attended",
    "mean_scores",
    "without_maps",
    "uniform_pooling",
    "variation",
)
DIGITS = 6
BATCH_SIZE = 64
PARTS = ("corpus", "model", "run")


def name_run(run, folder):
    """Returns the vector file of a run and its path below a folder, a dictionary.

    Raises: `InputError` if the path is not CORPUS/MODEL/seed-N.
    """
    parts = run.path.relative_to(folder).parts
    if len(parts) != len(PARTS):
        raise InputError(
            f"expected runs CORPUS/MODEL/seed-N below {folder}. Received: "
            f"{'/'.join(parts)}"
        )
    vectors = Path(run.experiment().embedding.path or "").name
    return {"vectors": vectors, **dict(zip(PARTS, parts, strict=True))}


def measure_run(run, root):
    """Returns the metrics of a run as text, a dictionary with the keys `COLUMNS`.

    Args:
        run: the `RunFolder` of a BCNN or ABCNN.
        root: the data root.
    """
    from dsa.evaluation.evaluate import evaluate_split
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load

    def evaluate(change=None):
        trained = load(run, root=root)
        rows = find_split(trained, root, "dev")
        # a model with new words is a new network, so this precedes the change
        trained = trained.with_words_of(rows.prepared)
        if change:
            for block in trained.model.all_blocks:
                change(block)
        entry, _ = evaluate_split(trained, rows)
        return trained, rows, entry[trained.task.selects]

    trained, rows, attended = evaluate()
    line = dict.fromkeys(COLUMNS)
    line["attended"] = attended
    block = trained.model.all_blocks[0]
    if block.feature_map is not None:
        _, _, line["mean_scores"] = evaluate(use_mean_scores)
        _, _, line["without_maps"] = evaluate(clear_feature_map)
    if block.attends_pooling:
        _, _, line["uniform_pooling"] = evaluate(use_uniform_pooling)
        line["variation"] = measure_variation(trained, rows.prepared)
    return {
        key: "" if value is None else f"{value:.{DIGITS}f}"
        for key, value in line.items()
    }


def use_uniform_pooling(block):
    """Sets the pooling weights of a block of ABCNN-2 or -3 to uniform weights."""
    block.attends_pooling = False


def clear_feature_map(block):
    """Sets the feature maps of a block of ABCNN-1 or -3 to zero."""
    block.feature_map.map.assign(np.zeros(block.feature_map.map.shape))


def use_mean_scores(block):
    """Replaces the match scores in the feature maps of a block of ABCNN-1 or -3 by
    their mean over the pairs of tokens."""
    from keras import ops

    feature_map = block.feature_map
    compute_maps = feature_map.call

    def compute_maps_of_mean(scores):
        is_pair = scores > 0  # match scores are above 0, and 0 at padding
        num_pairs = ops.sum(ops.cast(is_pair, scores.dtype), axis=(1, 2), keepdims=True)
        mean = ops.sum(scores, axis=(1, 2), keepdims=True) / num_pairs
        return compute_maps(ops.where(is_pair, mean, 0.0))

    feature_map.call = compute_maps_of_mean


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
    parser.add_argument(
        "folders", nargs="+", type=Path, help="folders with the run folders"
    )
    parser.add_argument("--data-root", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="CSV file")
    options = parser.parse_args(arguments)
    lines = []
    for folder in options.folders:
        for run in exclude_stages(list_runs(folder)):
            if run.experiment().model.name in MODELS and is_finished(run):
                line = name_run(run, folder) | measure_run(run, options.data_root)
                lines.append(line)
                show(", ".join(line.values()))
    if not lines:
        names = ", ".join(map(str, options.folders))
        raise InputError(f"{names}: no finished run of a BCNN or ABCNN")
    write_atomically(options.out, format_csv(lines))


if __name__ == "__main__":
    raise SystemExit(main())
