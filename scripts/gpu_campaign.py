"""Run all measurements on a GPU, in order of priority.

    DSA_DATA=<corpora> python scripts/gpu_campaign.py [--torch .venv-torch/bin/python]
      [--minutes snli=9 snli_torch=5] [--parts snli speed] [--out results/gpu]

Requires an environment with JAX and a GPU. `KERAS_BACKEND` defaults to jax. By default,
the first two parts are run, which takes 14 minutes at most. The parts and their default
time limits in minutes:

    snli         9    DSA, DSA without distance mask, ESIM and the Bi-LSTM with max
                      pooling on 141,511 pairs of SNLI with 300-d vectors (preset
                      subset141k), 4 epochs: all models with the first seed, then with
                      the second and the third seed
    snli_torch   5    the same runs with PyTorch, if it is installed for `--torch`
    smoke        5    training and evaluation of DSA on the bundled corpus
    speed       60    training steps of DSA, DSA without distance mask, DiSAN and ESIM:
                      batches of 64 and 512, float32 and bfloat16
                      (`benchmarks/train_step.py`); DSA and ESIM compared with
                      plain PyTorch (`benchmarks/plain_step.py`), if it is installed
                      for `--torch`
    encode      10    sentences per second of the encoders (`benchmarks/encoding.py`),
                      and of `dsa encode` with a million sentences
                      (`benchmarks/bulk_encoding.py`)

Runs are trained one by one and share the compiled programs of JAX in the subfolder
`programs/` of `--runs`. A part stops at its time limit. To resume it, even in the
middle of a training run, repeat the command; finished measurements are skipped. The
runs are evaluated only on dev, because `dsa evaluate RUN --split test --keep-answers`
does not require a GPU. Writes a JSON file for each part and campaign.json with the
status of the parts to OUT, and the runs to `--runs`. The exit code is 1 if a
measurement failed. `--tiny` runs a small version of every part on a CPU.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
MINUTES = {"snli": 9, "snli_torch": 5, "smoke": 5, "speed": 60, "encode": 10}
DEFAULT_PARTS = ("snli", "snli_torch")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=MINUTES, default=DEFAULT_PARTS)
    parser.add_argument(
        "--minutes", nargs="+", type=parse_minutes, default=[], metavar="PART=N"
    )
    parser.add_argument(
        "--data-root", help="corpus folder (default: DSA_DATA or data/)"
    )
    parser.add_argument("--torch", default=sys.executable, help="Python with PyTorch")
    parser.add_argument("--runs", type=Path, default=Path("runs/gpu"))
    parser.add_argument("--out", type=Path, default=CHECKOUT / "results" / "gpu")
    parser.add_argument("--tiny", action="store_true", help="small version for a CPU")
    options = parser.parse_args(arguments)
    # exit by an exception, so that child processes are ended as after Ctrl-C
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    os.environ.setdefault("KERAS_BACKEND", "jax")
    programs = options.runs.resolve() / "programs"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(programs))
    sys.path.insert(0, str(CHECKOUT / "benchmarks"))

    from campaign import Campaign
    from campaign_size import FULL, TINY

    from dsa.system.folders import data_root
    from dsa.system.terminal import log_to_stream

    log_to_stream(sys.stderr)
    size = TINY if options.tiny else FULL
    data = data_root(options.data_root)
    campaign = Campaign(size, options.out, options.runs, data, options.torch)
    minutes = MINUTES | dict(options.minutes)
    done = {part: campaign.run_part(part, minutes[part]) for part in options.parts}
    campaign.write("campaign", campaign.read("campaign") | done)
    for part, status in done.items():
        print(f"{part}: {status['state']}, {status['minutes']:.1f} minutes")
    return int(bool(campaign.problems))


def parse_minutes(text):
    """Parses a time limit, such as "speed=30" into `("speed", 30.0)`."""
    part, _, number = text.partition("=")
    if part not in MINUTES:
        raise argparse.ArgumentTypeError(
            f"unknown part {part!r}; choose from: {', '.join(MINUTES)}"
        )
    try:
        return part, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected {part}=MINUTES") from None


if __name__ == "__main__":
    raise SystemExit(main())
