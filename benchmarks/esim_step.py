"""How long an ESIM training step takes, beside a plain PyTorch ESIM's.

    DSA_DATA=<corpora> python benchmarks/esim_step.py [--torch .venv-torch/bin/python]
      [--out FILE]

The published ESIM (`configs/snli/esim.yaml`: batch 32, 300-d trained vectors, Adam,
gradients clipped) in float32, by `fit` on this environment's backend, against
`plain_esim.py` in an environment with PyTorch, on the same batches of the training file
at hand (SNLI's, else the bundled corpus's), each with every thread count up to the
number of cores; the best one of each counts. Token ids are random: time does not depend
on them. Each process trains on all its batches once to warm up and is timed on the
second turn.
"""

import itertools
import json
import os
import statistics
import sys
import time

import measuring

STEPS = 60
CONFIG = "configs/snli/esim.yaml"


def ours(batches, vocabulary):
    """Seconds of the second turn, by `fit`."""
    import keras

    from dsa.data.feed import feed
    from dsa.experiment_file import load_experiment
    from dsa.optimization import compiled_model

    class Clock(keras.callbacks.Callback):
        times = []

        def on_train_batch_end(self, batch, logs=None):
            self.times.append(time.perf_counter())

    model = compiled_model(load_experiment(CONFIG), vocabulary)
    model.fit(
        feed(lambda: itertools.cycle(batches)),
        steps_per_epoch=2 * len(batches),
        verbose=0,
        shuffle=False,
        callbacks=[Clock()],
    )
    return Clock.times[-1] - Clock.times[len(batches) - 1]


def plain(batches, vocabulary):
    """Seconds of the second turn of the plain model."""
    import torch
    from plain_esim import Trainer

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    trainer = Trainer(vocabulary)
    for _ in range(2):
        began = time.perf_counter()
        for inputs, labels in batches:
            trainer.step(inputs, labels)
    return time.perf_counter() - began


def side(name):
    """One training in this process; prints its figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name == "plain":
        os.environ.setdefault("KERAS_BACKEND", "torch")
    import train_step

    from dsa.experiment_file import load_experiment

    batches, padding = train_step.real_batches(load_experiment(CONFIG), STEPS)
    seconds = {"ours": ours, "plain": plain}[name](batches, train_step.VOCABULARY)
    pairs = sum(len(labels) for _, labels in batches)
    print(
        json.dumps(
            {
                "step_seconds": seconds / STEPS,
                "pairs_per_second": pairs / seconds,
                "padding_share": float(padding),
            }
        )
    )


def main():
    parser = measuring.arguments(__doc__)
    parser.add_argument(
        "--torch", default=".venv-torch/bin/python", help="a Python that has PyTorch"
    )
    options = parser.parse_args()
    if options.side:
        return side(options.side)
    commands, settings = {}, {}
    for threads in range(1, os.cpu_count() + 1):
        for name, python in (("ours", sys.executable), ("plain", options.torch)):
            key = f"{name}, {threads} threads"
            commands[key] = [python, __file__, "--side", name]
            settings[key] = {
                variable: str(threads)
                for variable in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
            }

    def ratio(figures):
        best = {
            name: min(
                (key for key in commands if key.startswith(name)),
                key=lambda key: statistics.median(figures[key]["step_seconds"]),
            )
            for name in ("ours", "plain")
        }
        rates = (figures[key]["pairs_per_second"] for key in best.values())
        against = measuring.median_ratio(*rates)
        return {"best": best, "pairs_per_second_against_plain": against}

    measuring.compare(__file__, options, commands, settings, ratio)


if __name__ == "__main__":
    main()
