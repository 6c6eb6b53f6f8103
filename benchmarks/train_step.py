"""How near a DSA training step comes to the machine's matrix-product rate, and what
DiSAN's and ESIM's take beside it.

    DSA_DATA=<corpora> python benchmarks/train_step.py [--sides real disan]
      [--precision mixed_bfloat16] [--batch-size 512] [--steps-at-once 10] [--out FILE]

The published models train by `fit`, in float32 and at their own batch size (64; ESIM
32) unless told otherwise, on `KERAS_BACKEND`. Sides: "real": DSA
(`configs/snli/dsa.yaml`, 300-d frozen vectors) on batches of the training file at hand
(SNLI's, else the bundled corpus's) with its lengths; "full": the same number of pairs,
all of SNLI's mean lengths, so that nothing is padding; "disan": DiSAN
(`configs/snli/disan.yaml`) on the batches of "real"; "disan_long": on sentences of 80
words, for its memory; "esim": ESIM (`configs/snli/esim.yaml`), which trains its word
vectors, on batches as those of "real". Token ids are random: time does not depend on
them. Each process trains on all its batches once to warm up and is timed on the second
turn; the rate of a square product is measured in it before and after. An epoch is one
of SNLI's 549,367 pairs, from the pairs a second, steps alone. DSA's operations are
counted on real tokens alone (`operations.py`). With `--steps-at-once`, which JAX alone
has, `training.steps_at_once` is set and each side has so many times as many batches.
"""

import itertools
import json
import os
import time

import measuring

FULL = (14, 8)  # tokens of premise and hypothesis, SNLI's means
LONG = (80, 80)
SNLI = 549_367  # training pairs
VOCABULARY = 40_000
SIDES = {  # config, lengths of all pairs or those of a corpus, steps
    "real": ("configs/snli/dsa.yaml", None, 20),
    "full": ("configs/snli/dsa.yaml", FULL, 20),
    "disan": ("configs/snli/disan.yaml", None, 20),
    "disan_long": ("configs/snli/disan.yaml", LONG, 2),
    "esim": ("configs/snli/esim.yaml", None, 20),
}


def real_batches(experiment, steps):
    """The first batches of an epoch on the corpus at hand."""
    import numpy as np

    from dsa.data.batches import Batches
    from dsa.data.prepared import prepare
    from dsa.data.sentences import Sentences
    from dsa.data.tokenizer import Tokenizer
    from dsa.optimization import compiles_each_shape
    from dsa.tasks import NLI

    corpus = prepare(measuring.corpus_at_hand(), "snli", Tokenizer(), NLI)
    rows = corpus.labelled
    random = np.random.default_rng(0)
    ids = random.integers(2, VOCABULARY, len(corpus.sentences.ids), np.int32)
    batches = Batches(
        Sentences(ids, corpus.sentences.offsets),
        corpus.texts[rows],
        NLI.inputs,
        corpus.labels[rows],
        experiment.training.batch_size,
        seed=1,
        by_length=experiment.training.by_length,
        shapes=experiment.training.shapes if compiles_each_shape() else None,
        at_once=experiment.training.steps_at_once,
    )
    at_once = experiment.training.steps_at_once
    if at_once == 1:
        return [batches.batch(step) for step in range(steps)], batches.padding()
    windows = range(0, steps * at_once, at_once)
    data = [batches.stacked(range(first, first + at_once)) for first in windows]
    ids = [side for inputs, *_ in data for side in inputs.values()]
    padding = 1 - sum(map(np.count_nonzero, ids)) / sum(side.size for side in ids)
    return data, padding


def full_batches(experiment, lengths, steps):
    """Batches without padding."""
    import keras
    import numpy as np

    from dsa.data.batches import filled

    random = np.random.default_rng(0)
    pairs = experiment.training.batch_size
    inputs = {
        name: random.integers(2, VOCABULARY, (pairs, length), np.int32)
        for name, length in zip(("premise", "hypothesis"), lengths, strict=True)
    }
    labels = random.integers(0, 3, pairs, np.int32)
    batch, at_once = (inputs, labels), experiment.training.steps_at_once
    if at_once > 1:
        batch = keras.tree.map_structure(
            lambda array: np.stack([array] * at_once), filled(batch, pairs)
        )
    return [batch] * steps, 0.0


def two_turns(experiment, batches):
    """When each call ended, in seconds, of `fit` twice over all batches."""
    import keras
    import numpy as np

    from dsa.callbacks import StopAtNaN
    from dsa.data.feed import feed
    from dsa.optimization import compiled_model
    from dsa.steps import Steps

    class Clock(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            times.append(time.perf_counter())

    times, calls = [], 2 * len(batches)
    at_once = experiment.training.steps_at_once
    steps = Steps(calls * at_once, calls * at_once, at_once)
    model = compiled_model(experiment, VOCABULARY)
    table = np.random.default_rng(1).normal(0, 0.4, (VOCABULARY, 300))
    model.embedding.set_vectors(table.astype(np.float32))
    model.fit(
        feed(lambda: itertools.cycle(batches)),
        steps_per_epoch=calls,
        verbose=0,
        shuffle=False,
        callbacks=[StopAtNaN(steps), Clock()],
    )
    return times


def side(name, overrides):
    """One training in this process; prints its figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    began = time.perf_counter()
    import keras
    import numpy as np
    from matrix_product import matrix_product_rate
    from operations import training_operations

    from dsa.experiment_file import load_experiment

    config, lengths, steps = SIDES[name]
    experiment = load_experiment(config, overrides)
    keras.utils.set_random_seed(0)
    if lengths is None:
        batches, padding = real_batches(experiment, steps)
    else:
        batches, padding = full_batches(experiment, lengths, steps)
    dtype = keras.DTypePolicy(experiment.training.precision).compute_dtype
    rates = [matrix_product_rate(dtype)]
    times = two_turns(experiment, batches)
    rates.append(matrix_product_rate(dtype))

    seconds = times[-1] - times[steps - 1]
    real = [
        [np.count_nonzero(inputs[side], axis=-1).ravel() for inputs, *_ in batches]
        for side in ("premise", "hypothesis")
    ]
    premise, hypothesis = map(np.concatenate, real)
    figures = {
        "step_seconds": seconds / steps / experiment.training.steps_at_once,
        "pairs_per_second": len(premise) / seconds,
        "snli_epoch_seconds": SNLI * seconds / len(premise),
        "real_tokens_per_second": float((premise.sum() + hypothesis.sum()) / seconds),
        "padding_share": float(padding),
        "shapes": len(
            {(i["premise"].shape, i["hypothesis"].shape) for i, *_ in batches}
        ),
        "matrix_product_operations_per_second": float(np.mean(rates)),
        "seconds_to_first_step": times[0] - began,
        **measuring.device_memory(),
    }
    if experiment.model.name == "dsa":
        rate = training_operations(experiment, premise, hypothesis) / seconds
        figures["operations_per_second"] = rate
        figures["share_of_matrix_product_rate"] = float(rate / np.mean(rates))
    print(json.dumps(figures))


def main():
    parser = measuring.arguments(__doc__)
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=list(SIDES))
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--steps-at-once", type=int, default=1)
    options = parser.parse_args()
    overrides = {
        "training.precision": options.precision,
        "training.steps_at_once": options.steps_at_once,
    }
    if options.batch_size:
        overrides["training.batch_size"] = options.batch_size
    if options.side:
        return side(options.side, overrides)
    commands = measuring.sides(__file__, options.sides)
    for command in commands.values():
        command += ["--precision", options.precision]
        command += ["--steps-at-once", str(options.steps_at_once)]
        if options.batch_size:
            command += ["--batch-size", str(options.batch_size)]

    def ratio(figures):
        if not {"disan", "real"} <= set(figures):
            return {}
        seconds = (figures[name]["step_seconds"] for name in ("disan", "real"))
        return {"disan_seconds_against_dsa": measuring.median_ratio(*seconds)}

    measuring.compare(__file__, options, commands, facts=ratio)


if __name__ == "__main__":
    main()
