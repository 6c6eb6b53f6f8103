"""How near a DSA training step comes to the machine's matrix-product rate.

    DSA_DATA=<corpora> python benchmarks/train_step.py [--out FILE]

The published model (`configs/snli/dsa.yaml`, 300-d frozen vectors) trains by `fit` in
float32 at batch 64. Side "real": batches of the training file at hand (SNLI's, else the
bundled corpus's) with its lengths; side "full": the same number of pairs, all of SNLI's
mean lengths, so that nothing is padding. Token ids are random: time does not depend on
them. Each process trains on all its batches once to warm up and is timed on the second
turn; the rate of a square product is measured in it before and after. Operations are
counted on real tokens alone (`operations.py`).
"""

import itertools
import json
import os
import sys
import time

import measuring

STEPS = 60
FULL = (14, 8)  # tokens of premise and hypothesis, SNLI's means
MATRIX, PRODUCTS = 2048, 15
VOCABULARY = 40_000


def matrix_product_rate():
    """Operations a second of a float32 product of square matrices, the median."""
    import keras
    import numpy as np

    random = np.random.default_rng(0)
    left = keras.ops.convert_to_tensor(random.normal(size=(MATRIX, MATRIX)), "float32")
    seconds = []
    for _ in range(PRODUCTS):
        began = time.perf_counter()
        keras.ops.convert_to_numpy(keras.ops.matmul(left, left)[:1, :1])
        seconds.append(time.perf_counter() - began)
    return 2 * MATRIX**3 / np.median(seconds)


def real_batches(experiment):
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
        shapes=experiment.training.shapes if compiles_each_shape() else None,
    )
    return [batches.batch(step) for step in range(STEPS)], batches.padding()


def full_batches(experiment):
    """Batches without padding."""
    import numpy as np

    random = np.random.default_rng(0)
    pairs = experiment.training.batch_size
    inputs = {
        name: random.integers(2, VOCABULARY, (pairs, length), np.int32)
        for name, length in zip(("premise", "hypothesis"), FULL, strict=True)
    }
    labels = random.integers(0, 3, pairs, np.int32)
    return [(inputs, labels)] * STEPS, 0.0


def side(name):
    """One training in this process; prints its figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    began = time.perf_counter()
    import keras
    import numpy as np
    from operations import training_operations

    from dsa.callbacks import StopAtNaN
    from dsa.data.feed import feed
    from dsa.experiment_file import load_experiment
    from dsa.optimization import compiled_model

    experiment = load_experiment("configs/snli/dsa.yaml")
    keras.utils.set_random_seed(0)
    make = real_batches if name == "real" else full_batches
    batches, padding = make(experiment)
    model = compiled_model(experiment, VOCABULARY, 3)
    table = np.random.default_rng(1).normal(0, 0.4, (VOCABULARY, 300))
    model.embedding.set_vectors(table.astype(np.float32))

    class Clock(keras.callbacks.Callback):
        """Notes the time behind each step."""

        def __init__(self):
            super().__init__()
            self.times = []

        def on_train_batch_end(self, batch, logs=None):
            self.times.append(time.perf_counter())

    clock = Clock()
    rates = [matrix_product_rate()]
    model.fit(
        feed(lambda: itertools.cycle(batches)),
        steps_per_epoch=2 * STEPS,
        verbose=0,
        shuffle=False,
        callbacks=[StopAtNaN(2 * STEPS), clock],
    )
    rates.append(matrix_product_rate())

    seconds = clock.times[-1] - clock.times[STEPS - 1]
    lengths = [
        [np.count_nonzero(inputs[side], axis=1) for inputs, _ in batches]
        for side in ("premise", "hypothesis")
    ]
    premise, hypothesis = map(np.concatenate, lengths)
    operations = training_operations(experiment, premise, hypothesis)
    figures = {
        "step_seconds": seconds / STEPS,
        "pairs_per_second": len(premise) / seconds,
        "real_tokens_per_second": float((premise.sum() + hypothesis.sum()) / seconds),
        "padding_share": float(padding),
        "shapes": len(
            {(i["premise"].shape, i["hypothesis"].shape) for i, _ in batches}
        ),
        "operations_per_second": operations / seconds,
        "matrix_product_operations_per_second": float(np.mean(rates)),
        "share_of_matrix_product_rate": float(operations / seconds / np.mean(rates)),
        "seconds_to_first_step": clock.times[0] - began,
    }
    print(json.dumps(figures))


def main():
    parser = measuring.arguments(__doc__)
    options = parser.parse_args()
    if options.side:
        return side(options.side)
    load = measuring.refuse_load(options.anyway)
    commands = {
        name: [sys.executable, __file__, "--side", name] for name in ("real", "full")
    }
    figures = measuring.in_turn(commands, options.rounds)
    measuring.report(
        __file__,
        options,
        load,
        figures,
        backend=os.environ.get("KERAS_BACKEND", "tensorflow"),
    )


if __name__ == "__main__":
    main()
