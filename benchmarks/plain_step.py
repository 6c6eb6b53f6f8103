"""Time of a training step, compared with the same model in plain PyTorch.

    DSA_DATA=<corpora> python benchmarks/plain_step.py [--model dsa]
      [--torch .venv-torch/bin/python] [--threads 1 2]
      [--precision mixed_bfloat16] [--batch-size 512] [--instructions avx2] [--out FILE]

Trains the published DSA (`configs/snli/dsa.yaml`) or ESIM (`configs/snli/esim.yaml`)
with `fit` on the backend of this environment, and `plain_dsa.py` or `plain_esim.py` in
an environment with PyTorch, on batches of the available training file (SNLI, else the
bundled corpus). Precision and batch size default to float32 and the batch size of the
config. Sides:

    ours                with `fit`
    plain               shuffled batches, each padded to its longest sentences
    plain, our batches  batches of pairs with similar lengths, like "ours", each padded
                        to its longest sentences (also if "ours" on JAX pads to a few
                        fixed shapes)

"Ours" prepares its batches during training, the plain sides in advance. Each side runs
with every thread count of `--threads`, and the best result is used. Token ids are
random, because the time does not depend on their values. Each process trains on all its
batches once to warm up and a second time for the measurement, on a GPU if available. It
measures the matrix-product rate before and after, because the rates of PyTorch and
TensorFlow differ. `--instructions avx2` disables AVX-512 in the libraries of all sides.
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
    """Trains the plain model for two turns. Returns the seconds of the second."""
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
    """Trains in this process and prints the figures as JSON."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name != "ours":
        os.environ["KERAS_BACKEND"] = "torch"  # the only backend of this environment
    import keras
    import train_step
    from matrix_product import matrix_product_rate

    from dsa.backends.devices import set_matmul_precision
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
        "--torch", default=".venv-torch/bin/python", help="interpreter with PyTorch"
    )
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[os.cpu_count()], metavar="N"
    )
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument(
        "--instructions",
        choices=LIMITS,
        help="limit of the libraries' instruction set",
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
        def median_rate(key):
            return statistics.median(figures[key]["real_tokens_per_second"])

        best = {}
        for name in SIDES:
            keys = [key for key in commands if key.startswith(f"{name};")]
            best[name] = max(keys, key=median_rate)

        def compare_rates(figure):
            rates = {name: figures[key][figure] for name, key in best.items()}
            return {
                name: measuring.median_ratio(rates["ours"], rates[name])
                for name in SIDES[1:]
            }

        tokens = compare_rates("real_tokens_per_second")
        return {
            "best": best,
            "real_tokens_per_second_of_ours_against": tokens,
            "pairs_per_second_of_ours_against": compare_rates("pairs_per_second"),
        }

    measuring.compare(__file__, options, commands, settings, ratios)


if __name__ == "__main__":
    main()
