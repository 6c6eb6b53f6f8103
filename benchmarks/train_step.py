"""How near a DSA training step comes to the machine's matrix-product rate, and what
DiSAN's takes beside it.

    DSA_DATA=<corpora> python benchmarks/train_step.py [--out FILE]

The published models train by `fit` in float32 at batch 64. Sides: "real": DSA
(`configs/snli/dsa.yaml`, 300-d frozen vectors) on batches of the training file at hand
(SNLI's, else the bundled corpus's) with its lengths; "full": the same number of pairs,
all of SNLI's mean lengths, so that nothing is padding; "disan": DiSAN
(`configs/snli/disan.yaml`) on the batches of "real"; "disan_long": on sentences of 80
words, for its memory. Token ids are random: time does not depend on them. Each process
trains on all its batches once to warm up and is timed on the second turn; the rate of a
square product is measured in it before and after. DSA's operations are counted on real
tokens alone (`operations.py`).
"""

import itertools
import json
import os
import time

import measuring

FULL = (14, 8)  # tokens of premise and hypothesis, SNLI's means
LONG = (80, 80)
VOCABULARY = 40_000
SIDES = {  # config, lengths of all pairs or those of a corpus, steps
    "real": ("configs/snli/dsa.yaml", None, 60),
    "full": ("configs/snli/dsa.yaml", FULL, 60),
    "disan": ("configs/snli/disan.yaml", None, 60),
    "disan_long": ("configs/snli/disan.yaml", LONG, 2),
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
        shapes=experiment.training.shapes if compiles_each_shape() else None,
    )
    return [batches.batch(step) for step in range(steps)], batches.padding()


def full_batches(experiment, lengths, steps):
    """Batches without padding."""
    import numpy as np

    random = np.random.default_rng(0)
    pairs = experiment.training.batch_size
    inputs = {
        name: random.integers(2, VOCABULARY, (pairs, length), np.int32)
        for name, length in zip(("premise", "hypothesis"), lengths, strict=True)
    }
    labels = random.integers(0, 3, pairs, np.int32)
    return [(inputs, labels)] * steps, 0.0


def side(name):
    """One training in this process; prints its figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    began = time.perf_counter()
    import keras
    import numpy as np
    from matrix_product import matrix_product_rate
    from operations import training_operations

    from dsa.callbacks import StopAtNaN
    from dsa.data.feed import feed
    from dsa.experiment_file import load_experiment
    from dsa.optimization import compiled_model

    config, lengths, steps = SIDES[name]
    experiment = load_experiment(config)
    keras.utils.set_random_seed(0)
    if lengths is None:
        batches, padding = real_batches(experiment, steps)
    else:
        batches, padding = full_batches(experiment, lengths, steps)
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
        steps_per_epoch=2 * steps,
        verbose=0,
        shuffle=False,
        callbacks=[StopAtNaN(2 * steps), clock],
    )
    rates.append(matrix_product_rate())

    seconds = clock.times[-1] - clock.times[steps - 1]
    real = [
        [np.count_nonzero(inputs[side], axis=1) for inputs, _ in batches]
        for side in ("premise", "hypothesis")
    ]
    premise, hypothesis = map(np.concatenate, real)
    figures = {
        "step_seconds": seconds / steps,
        "pairs_per_second": len(premise) / seconds,
        "real_tokens_per_second": float((premise.sum() + hypothesis.sum()) / seconds),
        "padding_share": float(padding),
        "shapes": len(
            {(i["premise"].shape, i["hypothesis"].shape) for i, _ in batches}
        ),
        "matrix_product_operations_per_second": float(np.mean(rates)),
        "seconds_to_first_step": clock.times[0] - began,
    }
    if experiment.model.name == "dsa":
        rate = training_operations(experiment, premise, hypothesis) / seconds
        figures["operations_per_second"] = rate
        figures["share_of_matrix_product_rate"] = float(rate / np.mean(rates))
    print(json.dumps(figures))


def main():
    parser = measuring.arguments(__doc__)
    options = parser.parse_args()
    if options.side:
        return side(options.side)

    def ratio(figures):
        seconds = (figures[name]["step_seconds"] for name in ("disan", "real"))
        return {"disan_seconds_against_dsa": measuring.median_ratio(*seconds)}

    measuring.compare(__file__, options, measuring.sides(__file__, SIDES), facts=ratio)


if __name__ == "__main__":
    main()
