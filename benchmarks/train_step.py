"""Time of training steps of DSA, DiSAN and ESIM, and the share of the matrix-product
rate of the machine that they use.

    DSA_DATA=<corpora> python benchmarks/train_step.py [--sides real disan]
      [--precision mixed_bfloat16] [--batch-size 512]
      [--calls 20] [--set KEY=VALUE] [--out FILE]

The published models train with `fit` on `KERAS_BACKEND`. Precision and batch size
default to float32 and the batch size of the config (64; ESIM 32). Sides:

    real        DSA (`configs/snli/dsa.yaml`, 300-d frozen vectors) on batches of the
                available training file (SNLI, else the bundled corpus)
    full        the same number of pairs, all with SNLI's mean lengths, without padding
    disan       DiSAN (`configs/snli/disan.yaml`) on the batches of "real"
    esim        ESIM (`configs/snli/esim.yaml`), with trainable word vectors, on batches
                like the batches of "real"
    no_mask     "real" without distance mask (`configs/snli/dsa_no_distance.yaml`); not
                a default side
    disan_long  DiSAN on sentences of 80 words, to measure its memory; not a default
                side

Token ids are random, because the time does not depend on their values. Each process
trains on all its batches once to warm up and a second time for the measurement, which
includes the preparation of the batches. It measures the matrix-product rate before and
after. Operations are counted on real tokens only (`operations.py`). Figures:

    snli_epoch_seconds  training time for the 549,367 pairs of SNLI, computed from the
                        real tokens per second and the mean tokens per pair of the
                        available file; without evaluation
    compile_seconds     time of the first turn minus time of the second turn
    start_up_seconds    time before the first turn: imports, reading the corpus
"""

import dataclasses
import itertools
import json
import os
import time

import measuring

FULL = (14, 8)  # tokens of premise and hypothesis, SNLI's means
LONG = (80, 80)
SNLI = 549_367  # training pairs
VOCABULARY = 40_000
SIDES = {  # config, lengths of all pairs (`None`: lengths of the corpus), steps
    "real": ("configs/snli/dsa.yaml", None, 20),
    "full": ("configs/snli/dsa.yaml", FULL, 20),
    "no_mask": ("configs/snli/dsa_no_distance.yaml", None, 20),
    "disan": ("configs/snli/disan.yaml", None, 20),
    "disan_long": ("configs/snli/disan.yaml", LONG, 2),
    "esim": ("configs/snli/esim.yaml", None, 20),
}

DEFAULT_SIDES = ["real", "full", "disan", "esim"]


def prepare_real_batches(experiment):
    """Prepares the batches of an epoch on the available corpus.

    Returns: function that makes the batch of a step, and the mean number of real tokens
        per pair of the corpus.
    """
    import numpy as np

    from dsa.backends.compilation import compiles_each_shape
    from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.sentences import Sentences
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.data.rows.model_rows import ModelRows

    snli = get_corpus("snli")
    corpus = prepare(measuring.find_corpus(), snli, Tokenizer())
    rows = corpus.labelled
    random = np.random.default_rng(0)
    ids = random.integers(2, VOCABULARY, len(corpus.sentences.ids), np.int32)
    sentences = Sentences(ids, corpus.sentences.offsets)
    indices, labels = corpus.sentence_indices[rows], corpus.labels[rows]
    batches = TrainingBatches(
        TrainingRows(ModelRows(sentences, indices, snli.task.inputs), labels),
        experiment.training.batch_size,
        seed=1,
        by_length=experiment.training.by_length,
        max_shapes=experiment.training.shapes if compiles_each_shape() else None,
    )

    return batches.make_batch, sentences.lengths[indices].sum(axis=1).mean()


def prepare_full_batches(experiment, lengths, vocabulary=VOCABULARY):
    """Returns a function that returns the same unpadded batch for each step."""
    import numpy as np

    random = np.random.default_rng(0)
    pairs = experiment.training.batch_size
    inputs = {
        name: random.integers(2, vocabulary, (pairs, length), np.int32)
        for name, length in zip(("premise", "hypothesis"), lengths, strict=True)
    }
    labels = random.integers(0, 3, pairs, np.int32)
    return lambda call: (inputs, labels)


@dataclasses.dataclass
class Turns:
    """Times of a call of `fit`, in seconds.

    Attributes:
        began: start of each turn over all batches.
        ended: end of each turn.
        returned: return of `fit`.
    """

    began: list
    ended: list
    returned: float

    @property
    def seconds(self):
        """Duration of each turn."""
        return [end - begin for begin, end in zip(self.began, self.ended, strict=True)]


def build_model(experiment, vocabulary=None):
    """Returns the compiled model of an experiment, with random word vectors.

    Sets the precision of matrix products for the process.

    Args:
        experiment: the `Experiment`.
        vocabulary: number of words; `None` for `VOCABULARY`.
    """
    import numpy as np

    from dsa.backends.compilation import compiles_each_shape
    from dsa.backends.devices import set_matmul_precision
    from dsa.models import building
    from dsa.training.optimization import make_loss, make_optimizer
    from dsa.training.schedules import make_learning_rate

    vocabulary = vocabulary or VOCABULARY  # read at call time, because tests replace it
    training, task = experiment.training, experiment.task
    set_matmul_precision(training.matmul_precision)
    model = building.build_model(experiment, vocabulary)
    model.compile(
        make_optimizer(training, model, make_learning_rate(training)),
        make_loss(training, task),
        weighted_metrics=task.training_metrics(),
        jit_compile=compiles_each_shape(),
    )
    model.optimizer.build(model.trainable_variables)
    shape = vocabulary, experiment.embedding.units
    table = np.random.default_rng(1).standard_normal(shape, np.float32)
    table *= 0.4
    model.embedding.set_vectors(table)
    return model


def train_turns(model, experiment, make_batch, calls, turns=2):
    """Trains with `fit` for some turns over all batches.

    Args:
        model: a compiled model.
        experiment: its `Experiment`.
        make_batch: function that makes the batch of a step. The batches are made during
            training.
        calls: number of batches, the steps of a turn.
        turns: number of turns.

    Returns: the `Turns`.
    """
    import keras

    from dsa.backends.feed import feed
    from dsa.training import callbacks
    from dsa.training.callbacks import Progress
    from dsa.training.steps import Steps

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            began.append(time.perf_counter())

        def on_epoch_end(self, epoch, logs=None):
            ended.append(time.perf_counter())

    began, ended = [], []
    steps = Steps(calls, turns * calls)
    model.fit(
        feed(lambda: map(make_batch, itertools.cycle(range(calls)))),
        steps_per_epoch=calls,
        epochs=turns,
        verbose=0,
        shuffle=False,
        callbacks=[
            callbacks.StopAtNaN(steps),
            Progress(steps, experiment.training.batch_size),
            Clock(),
        ],
    )
    return Turns(began, ended, time.perf_counter())


def count_tokens(batches):
    """Returns the numbers of real tokens of each premise and each hypothesis, and the
    share of padding."""
    import numpy as np

    premise, hypothesis = (
        np.concatenate(
            [np.count_nonzero(ids[side], axis=-1).ravel() for ids, *_ in batches]
        )
        for side in ("premise", "hypothesis")
    )
    size = sum(ids[side].size for ids, *_ in batches for side in ids)
    return premise, hypothesis, 1 - (premise.sum() + hypothesis.sum()) / size


def compute_figures(experiment, batches, seconds, rates):
    """Computes the figures of a turn over all batches.

    Args:
        experiment: the trained `Experiment`.
        batches: all batches of the turn.
        seconds: duration of the turn.
        rates: matrix-product rates of the same process, before and after the turn.

    Returns: a dictionary of figures.
    """
    import numpy as np
    from operations import training_operations

    premise, hypothesis, padding = count_tokens(batches)
    rate = training_operations(experiment, premise, hypothesis) / seconds
    return {
        "step_seconds": seconds / len(batches),
        "pairs_per_second": len(premise) / seconds,
        "real_tokens_per_second": float((premise.sum() + hypothesis.sum()) / seconds),
        "padding_share": float(padding),
        "shapes": len(
            {(ids["premise"].shape, ids["hypothesis"].shape) for ids, *_ in batches}
        ),
        "operations_per_second": rate,
        "matrix_product_operations_per_second": float(np.mean(rates)),
        "matrix_products_before": float(rates[0]),
        "matrix_products_after": float(rates[1]),
        "share_of_matrix_product_rate": float(rate / np.mean(rates)),
    }


def run_side(name, overrides, calls=None):
    """Trains in this process and prints the figures as JSON.

    Args:
        name: name of the side.
        overrides: overrides of the config.
        calls: number of steps per turn; `None` for the default of the side.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    began = time.perf_counter()
    import keras
    from matrix_product import matrix_product_rate

    from dsa.backends.devices import set_matmul_precision
    from dsa.experiment.yaml_file import load_experiment

    config, lengths, default_calls = SIDES[name]
    calls = calls or default_calls
    experiment = load_experiment(config, overrides)
    keras.utils.set_random_seed(0)
    set_matmul_precision(experiment.training.matmul_precision)
    if lengths is None:
        make_batch, tokens_a_pair = prepare_real_batches(experiment)
    else:
        make_batch = prepare_full_batches(experiment, lengths)
    dtype = keras.DTypePolicy(experiment.training.precision).compute_dtype
    rate_began = time.perf_counter()
    rates = [matrix_product_rate(dtype)]
    rate_seconds = time.perf_counter() - rate_began
    turns = train_turns(build_model(experiment), experiment, make_batch, calls)
    rates.append(matrix_product_rate(dtype))
    first, second = turns.seconds
    batches = [make_batch(call) for call in range(calls)]
    figures = {
        **compute_figures(experiment, batches, second, rates),
        "start_up_seconds": turns.began[0] - began - rate_seconds,
        "compile_seconds": first - second,
        "ran_on": measuring.describe_process(),
    }
    peak = measuring.find_peak_device_memory()
    if peak is not None:
        figures["peak_device_memory_bytes"] = peak
    if lengths is None and measuring.find_corpus().name.startswith("snli"):
        tokens_a_second = figures["real_tokens_per_second"]
        figures["snli_epoch_seconds"] = SNLI * tokens_a_pair / tokens_a_second
    print(json.dumps(figures))


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=DEFAULT_SIDES)
    parser.add_argument("--calls", type=int, help="number of timed steps")
    measuring.add_settings(parser)
    options = parser.parse_args()
    if options.side:
        from dsa.experiment.yaml_file import parse_overrides

        return run_side(options.side, parse_overrides(options.set), options.calls)
    settings = measuring.list_settings(options)
    commands = measuring.make_commands(__file__, options.sides)
    for command in commands.values():
        if options.calls:
            command += ["--calls", str(options.calls)]
        command += ["--set", *settings]

    def ratio(figures):
        if not {"disan", "real"} <= set(figures):
            return {}
        seconds = (figures[name]["step_seconds"] for name in ("disan", "real"))
        return {"disan_seconds_against_dsa": measuring.median_ratio(*seconds)}

    measuring.compare(__file__, options, commands, facts=ratio)


if __name__ == "__main__":
    main()
