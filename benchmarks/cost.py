"""Cost of DSA by size of the work: seconds and memory of training, evaluation, encoding
and preparation, and their growth.

    python benchmarks/cost.py [--series "training, words" ...] [--folder FOLDER]
      [--tiny] [--out FILE]

The published DSA (`configs/snli/dsa.yaml`, 300-d frozen vectors), float32, on
`KERAS_BACKEND`. Series, each named by the work and the quantity that grows:

    training, words        a step of 64 pairs, both sentences of 10 to 200 tokens
    training, batch        a step of 16 to 256 pairs of SNLI's mean lengths
    training, vocabulary   a step of 64 such pairs, 10,000 to 400,000 words with vectors
    evaluation, words      logits of pairs, both sentences of 10 to 200 tokens
    evaluation, rows       logits of 500 to 8,000 pairs of SNLI's mean lengths
    encoding, words        vectors of sentences of 10 to 200 tokens
    encoding, rows         vectors of 500 to 8,000 sentences of SNLI's mean premise
    preparation, pairs     reading and tokenizing 10,000 to 550,000 invented pairs, from
                           an empty cache, on all cores

Each point is a process of its own, so its memory, counted every 0.1 s, is the most that
it and those that it started had. All sentences of a point are equally long (but for
preparation) and differ from each other; token ids are random. After a first turn, which
is not timed, a point's time is the median of three turns; preparation has one. Growth
is the exponent b of seconds ~ n^b, by least squares of the logarithms, and that of the
two largest sizes. The files of pairs need about 1 GB in a new folder (`--folder`: below
it), which is removed at the end. `--tiny` tries the script on few short sentences.
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
TURNS = 3  # that are timed
WARM_UP = 256  # rows at most
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}
LINES = 2_200_000  # of the invented vector file that the words are spread over


def measure_training(point, size):
    """Train in this process on batches without padding.

    Returns: the figures of a step.
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
    """Evaluate pairs or encode sentences in this process.

    Returns: the figures of all rows.
    """
    import keras
    import numpy as np

    from dsa.data.prepared.sentences import Sentences
    from dsa.data.rows.model_rows import ModelRows
    from dsa.experiment.yaml_file import load_experiment
    from dsa.inference.corpus_inference import build_inference
    from dsa.models.building import build_model
    from dsa.tasks.task import PAIR

    experiment = load_experiment(CONFIG)
    keras.utils.set_random_seed(0)
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
    """Read and tokenize a file in this process, from an empty cache.

    Returns: the figures of the whole file.
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
        "tokens": int(corpus.sentences.lengths[corpus.texts].sum()),
        "pairs": len(corpus),
        "distinct_sentences": len(corpus.sentences),
        "words": len(corpus.words),
    }


def run_side(point, size, folder):
    """Measure a point in this process, and print the figures."""
    if point.work == "preparation":
        figures = measure_preparation(find_pairs(folder, point.rows))
    elif point.work == "training":
        figures = measure_training(point, size)
    else:
        figures = measure_inference(point, size)
    print(json.dumps(figures))


def find_pairs(folder, pairs):
    """The path of a file with so many pairs."""
    return folder / f"{pairs}.jsonl"


def write_files(folder, points, size):
    """Writes the files to prepare; returns the source of the sentence lengths."""
    import numpy as np
    from full_size_data import Sentences, learn_lengths, write_pairs

    *counts, source = learn_lengths()
    for point in points:
        random = np.random.default_rng(0)
        premises, hypotheses = (
            Sentences(size.invented, LINES, of_side, random) for of_side in counts
        )
        path = find_pairs(folder, point.rows)
        write_pairs(path, premises, hypotheses, point.rows, unlabelled=0)
    return source


def measure(options, size, series):
    """Measure all points of some series in turn.

    Returns: the figures, and further entries of the record.
    """
    points = {p.name: p for of_series in series.values() for p in of_series.values()}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = [p for p in points.values() if p.work == "preparation"]
        source = write_files(Path(folder), files, size)
        commands = measuring.make_commands(__file__, points)
        for command in commands.values():
            command += ["--folder", folder] + ["--tiny"] * options.tiny
        settings = dict.fromkeys(commands, QUIET)
        figures = measuring.run_in_turn(commands, options.rounds, settings)
    facts = {
        "tiny": options.tiny,
        "sentence_lengths_of": source,
        "series": {
            name: summarize(name, of_series, figures)
            for name, of_series in series.items()
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
        points = (p for of_series in series.values() for p in of_series.values())
        (point,) = {p for p in points if p.name == options.side}
        return run_side(point, size, options.folder)
    load = machine_load.refuse_load(options.anyway)
    chosen = {name: series[name] for name in options.series or series}
    figures, facts = measure(options, size, chosen)
    measuring.report(__file__, options, load, figures, **facts)


if __name__ == "__main__":
    main()
