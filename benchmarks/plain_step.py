"""How long a training step takes, beside that of a model in plain PyTorch.

    DSA_DATA=<corpora> python benchmarks/plain_step.py [--model dsa]
      [--torch .venv-torch/bin/python] [--threads 1 2] [--out FILE]

The published DSA (`configs/snli/dsa.yaml`) or ESIM (`configs/snli/esim.yaml`) in
float32 by `fit` on this environment's backend, against `plain_dsa.py` or
`plain_esim.py` in an environment with PyTorch, on batches of the training file at hand
(SNLI's, else the bundled corpus's). Sides: "ours"; "plain": on shuffled batches, each
padded to its own longest sentences; "plain, our batches": pairs of similar lengths
together, as "ours" has them (each padded to its own longest, also where "ours" on JAX
has a few shapes). "Ours" makes its batches as it runs, the others have them made. Each
with every thread count of `--threads`; the best one of each counts. Token ids are
random: time does not depend on them. Each process trains on all its batches once to
warm up and is timed on the second turn; the rate of a square product is measured in it
before and after: that of PyTorch is another than TensorFlow's.
"""

import json
import os
import statistics
import sys
import time

import measuring

STEPS = 20
THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
MODELS = ("dsa", "esim")
SIDES = ("ours", "plain", "plain, our batches")


def plain(experiment, batches, vocabulary):
    """Seconds of the second turn of the plain model."""
    import torch
    from plain_dsa import PlainDSA
    from plain_esim import PlainESIM
    from plain_trainer import Trainer

    model, training = experiment.model, experiment.training
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    made = {"dsa": PlainDSA, "esim": PlainESIM}[model.name](vocabulary)
    trainer = Trainer(made, training.learning_rate, training.clip_norm)
    for _ in range(2):
        began = time.perf_counter()
        for inputs, labels in batches:
            trainer.step(inputs, labels)
    return time.perf_counter() - began


def side(name, model):
    """One training in this process; prints its figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name != "ours":
        os.environ["KERAS_BACKEND"] = "torch"  # all that it needs of Keras is to load
    import train_step
    from matrix_product import matrix_product_rate

    from dsa.experiment.yaml_file import load_experiment

    experiment = load_experiment(
        f"configs/snli/{model}.yaml", {"training.by_length": name != "plain"}
    )
    made, _ = train_step.real_batches(experiment)
    batches = [made(step) for step in range(STEPS)]
    rates = [matrix_product_rate()]
    if name == "ours":
        began, ended = train_step.two_turns(experiment, made, STEPS)
        seconds = ended[1] - began[1]
    else:
        seconds = plain(experiment, batches, train_step.VOCABULARY)
    rates.append(matrix_product_rate())
    figures = train_step.turn_figures(experiment, batches, seconds, rates)
    print(json.dumps({**figures, "ran_on": measuring.ran_on()}))


def main():
    parser = measuring.arguments(__doc__)
    parser.add_argument("--model", choices=MODELS, default="dsa")
    parser.add_argument(
        "--torch", default=".venv-torch/bin/python", help="a Python that has PyTorch"
    )
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[os.cpu_count()], metavar="N"
    )
    options = parser.parse_args()
    if options.side:
        return side(options.side, options.model)
    commands, settings = {}, {}
    for threads in options.threads:
        for name in SIDES:
            python = sys.executable if name == "ours" else options.torch
            key = f"{name}; threads: {threads}"
            commands[key] = [python, __file__, "--side", name, "--model", options.model]
            settings[key] = {variable: str(threads) for variable in THREADS}

    def ratios(figures):
        best = {
            name: max(
                (key for key in commands if key.startswith(f"{name};")),
                key=lambda key: statistics.median(
                    figures[key]["real_tokens_per_second"]
                ),
            )
            for name in SIDES
        }

        def against(figure):
            rates = {name: figures[key][figure] for name, key in best.items()}
            return {
                name: measuring.median_ratio(rates["ours"], rates[name])
                for name in SIDES[1:]
            }

        return {
            "best": best,
            "real_tokens_per_second_of_ours_against": against("real_tokens_per_second"),
            "pairs_per_second_of_ours_against": against("pairs_per_second"),
        }

    measuring.compare(__file__, options, commands, settings, ratios)


if __name__ == "__main__":
    main()
