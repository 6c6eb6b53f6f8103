"""Time of a training step, compared with a model in plain PyTorch.

    DSA_DATA=<corpora> python benchmarks/plain_step.py [--model dsa]
      [--torch .venv-torch/bin/python] [--threads 1 2]
      [--precision mixed_bfloat16] [--batch-size 512] [--instructions avx2] [--out FILE]

The published DSA (`configs/snli/dsa.yaml`) or ESIM (`configs/snli/esim.yaml`), in
float32 and at its own batch size unless set otherwise, by `fit` on this environment's
backend, against `plain_dsa.py` or `plain_esim.py` in an environment with PyTorch, on
batches of the available training file (SNLI's, else the bundled corpus's). Sides:
"ours"; "plain": on shuffled batches, each padded to its own longest sentences; "plain,
our batches": pairs of similar lengths together, like "ours" (each padded to its own
longest, even if "ours" on JAX has a few shapes). "Ours" makes its batches while it
runs; the other sides prepare theirs in advance. Each side runs with every thread count
of `--threads`; its best one counts. Token ids are random: time does not depend on them.
Each process trains on all its batches once to warm up, and again to be timed, on a GPU
if it finds one. Before and after, it measures the rate of a square product, because the
rates of PyTorch and TensorFlow differ. With `--instructions avx2`, the libraries of all
sides leave AVX-512 alone, as they do on a processor without it.
"""

import json
import os
import statistics
import sys
import time

import measuring

STEPS = 20
THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
LIMITS = {
    "avx2": {
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    }
}
MODELS = ("dsa", "esim")
SIDES = ("ours", "plain", "plain, our batches")


def train_plain(experiment, batches, vocabulary):
    """Train the plain model; returns the seconds of the second turn."""
    import torch
    from plain_dsa import PlainDSA
    from plain_esim import PlainESIM
    from plain_trainer import Trainer

    model, training = experiment.model, experiment.training
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    plain = {"dsa": PlainDSA, "esim": PlainESIM}[model.name](vocabulary)
    bfloat16 = training.precision == "mixed_bfloat16"
    trainer = Trainer(plain, training.learning_rate, training.clip_norm, bfloat16)
    for _ in range(2):
        began = time.perf_counter()
        for inputs, labels in batches:
            trainer.step(inputs, labels)
        trainer.wait()
    return time.perf_counter() - began


def run_side(name, model, settings=(), steps=STEPS):
    """Train in this process, and print the figures."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name != "ours":
        os.environ["KERAS_BACKEND"] = "torch"  # it must only be importable
    import keras
    import train_step
    from matrix_product import matrix_product_rate

    from dsa.backends.matmul_precision import set_matmul_precision
    from dsa.experiment.yaml_file import load_experiment, parse_overrides

    overrides = {**parse_overrides(settings), "training.by_length": name != "plain"}
    experiment = load_experiment(f"configs/snli/{model}.yaml", overrides)
    make_batch, _ = train_step.prepare_real_batches(experiment)
    set_matmul_precision(experiment.training.matmul_precision)
    batches = [make_batch(step) for step in range(steps)]
    dtype = keras.DTypePolicy(experiment.training.precision).compute_dtype
    rates = [matrix_product_rate(dtype)]
    if name == "ours":
        model = train_step.build_model(experiment)
        turns = train_step.train_turns(model, experiment, make_batch, steps)
        seconds = turns.seconds[1]
    else:
        seconds = train_plain(experiment, batches, train_step.VOCABULARY)
    rates.append(matrix_product_rate(dtype))
    figures = train_step.compute_figures(experiment, batches, seconds, rates)
    print(json.dumps({**figures, "ran_on": measuring.describe_process()}))


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--model", choices=MODELS, default="dsa")
    parser.add_argument(
        "--torch", default=".venv-torch/bin/python", help="a Python that has PyTorch"
    )
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[os.cpu_count()], metavar="N"
    )
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument(
        "--instructions", choices=LIMITS, help="those that libraries may use at most"
    )
    measuring.add_settings(parser)
    options = parser.parse_args()
    if options.side:
        return run_side(options.side, options.model, options.set, options.steps)
    commands, settings = {}, {}
    limits = LIMITS.get(options.instructions, {})
    for threads in options.threads:
        for name in SIDES:
            python = sys.executable if name == "ours" else options.torch
            key = f"{name}; threads: {threads}"
            commands[key] = [python, __file__, "--side", name, "--model", options.model]
            commands[key] += ["--steps", str(options.steps)]
            commands[key] += ["--set", *measuring.list_settings(options)]
            settings[key] = dict.fromkeys(THREADS, str(threads)) | limits

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
