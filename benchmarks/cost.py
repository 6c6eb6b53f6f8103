"""Time and memory of training, evaluation, encoding and preparation with DSA, and their
growth with the size of the input.

    python benchmarks/cost.py [--series "training, words" ...] [--folder FOLDER]
      [--tiny] [--out FILE]

Measures the published DSA (`configs/snli/dsa.yaml`, 300-d frozen vectors) in float32 on
`KERAS_BACKEND`. Each series is named by the work and the quantity that grows:

    training, words        a step of 64 pairs, both sentences of 10 to 200 tokens
    training, batch        a step of 16 to 256 pairs of SNLI's mean lengths
    training, vocabulary   a step of 64 such pairs, 10,000 to 400,000 words with vectors
    evaluation, words      logits of pairs, both sentences of 10 to 200 tokens
    evaluation, rows       logits of 500 to 8,000 pairs of SNLI's mean lengths
    encoding, words        vectors of sentences of 10 to 200 tokens
    encoding, rows         vectors of 500 to 8,000 sentences of SNLI's mean premise
    preparation, pairs     reading and tokenizing 10,000 to 550,000 invented pairs, from
                           an empty cache, on all cores

Each point is measured in a separate process. Memory is the peak memory of this process
and its children, sampled every 0.1 s. All sentences of a point have the same length
(except for preparation) and are distinct; token ids are random. The time of a point is
the median of three turns after a warm-up turn; preparation has one turn and no warm-up.
Growth is the exponent b of seconds ~ n^b, a least-squares fit of the logarithms, once
over all sizes and once over the two largest sizes. The files of pairs need about 1 GB
in a temporary folder (created in `--folder`). `--tiny` runs a small version on few
short sentences.
"""

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import machine_load
import measuring
from cost_points import FULL, TINY, describe_step, list_series, summarize

CONFIG = "configs/snli/dsa.yaml"
TURNS = 3  # number of timed turns
WARM_UP = 256  # maximum number of rows of the warm-up turn
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}
LINES = 2_200_000  # lines of the vector file from which the words are taken


def measure_training(point, size):
    """Trains in this process on batches without padding.

    Returns: the figures of a training step.
    """
    import keras
    import numpy as np
    import train_step
    from matrix_product import matrix_product_rate
    from operations import training_operations

    from dsa.experiment.yaml_file import load_experiment

    experiment = load_experiment(CONFIG, {"training.batch_size": point.rows})
    keras.utils.set_random_seed(0)
    model = train_step.build_model(experiment, point.vocabulary)
    make_batch = train_step.prepare_full_batches(
        experiment, point.lengths, point.vocabulary
    )
    tokens = point.rows * sum(point.lengths)
    calls = max(1, size.trained // tokens)
    dtype = keras.DTypePolicy(experiment.training.precision).compute_dtype
    rates = [matrix_product_rate(dtype)]
    turns = train_step.train_turns(model, experiment, make_batch, calls, TURNS + 1)
    rates.append(matrix_product_rate(dtype))
    seconds = statistics.median(turns.seconds[1:]) / calls
    lengths = (np.full(point.rows, length) for length in point.lengths)
    operations = training_operations(experiment, *lengths)
    rate = float(np.mean(rates))
    return {
        "seconds": seconds,
        "tokens": tokens,
        "pairs_per_second": point.rows / seconds,
        "operations_a_pair": operations / point.rows,
        "matrix_product_operations_per_second": rate,
        "share_of_matrix_product_rate": operations / seconds / rate,
        "ran_on": measuring.describe_process(),
    }


def measure_inference(point, size):
    """Evaluates pairs or encodes sentences in this process.

    Returns: the figures for all rows together.
    """
    import keras
    import numpy as np

    from dsa.backends.devices import set_matmul_precision
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.rows.model_rows import ModelRows
    from dsa.experiment.yaml_file import load_experiment
    from dsa.inference.corpus_inference import build_inference
    from dsa.models.building import build_model
    from dsa.tasks.task import PAIR

    experiment = load_experiment(CONFIG)
    keras.utils.set_random_seed(0)
    set_matmul_precision(experiment.training.matmul_precision)
    inference = build_inference(
        experiment.family, build_model(experiment, point.vocabulary)
    )
    offsets = np.cumsum([0, *np.repeat(point.lengths, point.rows)])
    ids = np.random.default_rng(0).integers(2, point.vocabulary, offsets[-1], np.int32)
    sentences = Sentences(ids, offsets)
    texts = np.arange(len(sentences)).reshape(-1, point.rows).T

    def read(count):
        began = time.perf_counter()
        if point.work == "encoding":
            inference.vectors(sentences.select(np.arange(count)))
        else:
            inference.logits(ModelRows(sentences, texts[:count], PAIR))
        return time.perf_counter() - began

    read(min(point.rows, WARM_UP))
    return {
        "seconds": statistics.median(read(point.rows) for _ in range(TURNS)),
        "tokens": int(offsets[-1]),
        "ran_on": measuring.describe_process(),
    }


def measure_preparation(path):
    """Reads and tokenizes a file in this process, with an empty cache.

    Returns: the figures for the whole file.
    """
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer

    with tempfile.TemporaryDirectory(dir=path.parent) as cache:
        os.environ["DSA_CACHE"] = cache
        began = time.perf_counter()
        corpus = prepare(path, get_corpus("snli"), Tokenizer())
        seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "tokens": int(corpus.sentences.lengths[corpus.sentence_indices].sum()),
        "pairs": len(corpus),
        "distinct_sentences": len(corpus.sentences),
        "words": len(corpus.words),
    }


def run_side(point, size, folder):
    """Measures a point in this process and prints the figures as JSON."""
    if point.work == "preparation":
        figures = measure_preparation(find_pairs(folder, point.rows))
    elif point.work == "training":
        figures = measure_training(point, size)
    else:
        figures = measure_inference(point, size)
    print(json.dumps(figures))


def find_pairs(folder, pairs):
    """Returns the path of the file with this number of pairs."""
    return folder / f"{pairs}.jsonl"


def write_files(folder, points, size):
    """Writes the files of pairs. Returns the source of the sentence lengths."""
    import numpy as np
    from full_size_data import Sentences, learn_lengths, write_pairs

    *counts, source = learn_lengths()
    for point in points:
        random = np.random.default_rng(0)
        premises, hypotheses = (
            Sentences(size.invented, LINES, length_counts, random)
            for length_counts in counts
        )
        path = find_pairs(folder, point.rows)
        write_pairs(path, premises, hypotheses, point.rows, unlabelled=0)
    return source


def index_points(series):
    """Returns the distinct points of some series by name."""
    return {
        point.name: point
        for series_points in series.values()
        for point in series_points.values()
    }


def measure(options, size, series):
    """Measures all points of some series, one after the other.

    Returns: the figures, and further entries of the record.
    """
    points = index_points(series)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = [p for p in points.values() if p.work == "preparation"]
        source = write_files(Path(folder), files, size)
        commands = measuring.make_commands(__file__, points)
        for command in commands.values():
            command += ["--folder", folder]
            if options.tiny:
                command.append("--tiny")
        settings = dict.fromkeys(commands, QUIET)
        figures = measuring.run_in_turn(commands, options.rounds, settings)
    facts = {
        "tiny": options.tiny,
        "sentence_lengths_of": source,
        "series": {
            name: summarize(name, series_points, figures)
            for name, series_points in series.items()
        },
    }
    if size.usual_step.name in figures:
        facts["usual_step"] = describe_step(figures[size.usual_step.name])
    return figures, facts


def main():
    parser = measuring.make_parser(__doc__, rounds=1)
    parser.add_argument("--series", nargs="+", choices=list_series(FULL))
    parser.add_argument("--folder", type=Path, help="folder of the temporary files")
    parser.add_argument("--tiny", action="store_true", help="few short sentences")
    options = parser.parse_args()
    size = TINY if options.tiny else FULL
    series = list_series(size)
    if options.side:
        return run_side(index_points(series)[options.side], size, options.folder)
    load = machine_load.refuse_load(options.anyway)
    chosen = {name: series[name] for name in options.series or series}
    figures, facts = measure(options, size, chosen)
    measuring.report(__file__, options, load, figures, **facts)


if __name__ == "__main__":
    main()
