"""What this project wants to know of a GPU, by one command, the most useful first.

    DSA_DATA=<corpora> python scripts/gpu_campaign.py [--torch .venv-torch/bin/python]
      [--minutes smoke=5 speed=60] [--parts smoke speed] [--out results/gpu]

Needs an environment with JAX and a GPU; `KERAS_BACKEND` is jax unless it is set. Parts,
with the minutes that each has at most:

    smoke     5    the bundled corpus's DSA is trained and evaluated
    speed    60    training steps of DSA, DSA without distance mask, DiSAN and ESIM:
                   batches of 64 and 512, float32 and bfloat16, 1, 10 and 50 steps at
                   once (`benchmarks/train_step.py`); DSA and ESIM beside plain PyTorch
                   (`benchmarks/plain_step.py`), where `--torch` has it
    seeds   240    five seeds each of DSA, without distance mask, the Transformer
                   control, DiSAN and ESIM on the available SNLI file, 10 epochs, 50-d
                   vectors
    encode   10    sentences a second: of encoders (`benchmarks/encoding.py`), and of
                   `dsa encode` on a million (`benchmarks/bulk_encoding.py`)

A part whose minutes are over ends; the same command resumes there, also within a
training, and skips what is done. Writes OUT/smoke.json, speed.json, seeds.json,
encode.json, and what was done of each part to OUT/campaign.json; runs go to `--runs`.
Ends with exit code 1 if something failed. `--tiny` tries all of it on a CPU.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
MINUTES = {"smoke": 5, "speed": 60, "seeds": 240, "encode": 10}  # in order of worth


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=MINUTES, default=list(MINUTES))
    parser.add_argument(
        "--minutes", nargs="+", type=read_minutes, default=[], metavar="PART=N"
    )
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--torch", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--runs", type=Path, default=Path("runs/gpu"))
    parser.add_argument("--out", type=Path, default=CHECKOUT / "results" / "gpu")
    parser.add_argument("--tiny", action="store_true", help="try it on a CPU")
    options = parser.parse_args(arguments)
    # so that what runs is ended too, as after Ctrl-C
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    os.environ.setdefault("KERAS_BACKEND", "jax")
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
    for part, what in done.items():
        print(f"{part}: {what['state']}, {what['minutes']:.1f} minutes")
    return int(bool(campaign.problems))


def read_minutes(text):
    """`speed=30` as a part and its minutes."""
    part, _, number = text.partition("=")
    if part not in MINUTES:
        raise argparse.ArgumentTypeError(f"a part is one of: {', '.join(MINUTES)}")
    try:
        return part, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{part}=<minutes>") from None


if __name__ == "__main__":
    raise SystemExit(main())
