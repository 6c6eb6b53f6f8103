"""Lets every call to the disk fail, and kills commands at any moment.

    python -m tests.faults [--only NAME ...] [--share 0.1] [--seed 1] [--out FILE]

In a training, a lock, both exports, a push and bulk work the n-th call that changes the
disk (write, fsync, close, rename, ...) fails with ENOSPC, fails with EIO, or is the
last one before `kill -9`, for every n. Then the command starts again. Nothing may be
lost, an error is one line that names the file, and the second start reaches the same
result. Then trainings, bulk work and sweeps are killed at random moments.

Needs Linux and a C compiler. Exit code 1 if a promise is broken.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.layer import preload

SLOTS = 2  # cases at once
KILLS = {"training": 100, "stages": 30, "bulk": 30, "sweep": 30, "refit": 10}


def make_parser():
    parser = argparse.ArgumentParser(
        "python -m tests.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", help="names of situations")
    parser.add_argument("--share", type=float, default=1.0, help="of calls and kills")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn")
    parser.add_argument("--out", type=Path, help="write the record to this JSON file")
    return parser


def try_situations(folder, hub, options):
    """Yields the name of each situation, its record, and what was broken."""
    from tests.faults import situations
    from tests.faults.every_call import try_every_call
    from tests.faults.kills import Kills

    training = situations.Training(training=situations.TWO_EVALUATIONS)
    every_call = {
        "lock": situations.Lock(),
        "vectors": situations.Bulk("vectors"),
        "predictions": situations.Bulk("predictions"),
        "push": situations.Push(hub) if hub else None,
        "onnx": situations.Export("onnx"),
        "saved_model": situations.Export("savedmodel"),
        "checkpoint": situations.Training(),
    }
    killed = {
        "training": training,
        "stages": situations.Training(**situations.STAGES),
        "bulk": situations.Bulk("vectors"),
        "sweep": situations.Sweep(),
        "refit": situations.Training(**situations.REFIT),
    }
    for name, situation in every_call.items():
        if situation and name in (options.only or every_call):
            print(f"{name}: every call fails", flush=True)
            yield (
                name,
                *try_every_call(
                    name, situation, folder, options.share, options.seed, SLOTS
                ),
            )
    for name, situation in killed.items():
        if name in (options.only or killed):
            count = max(round(KILLS[name] * options.share), 1)
            print(f"{name}: {count} kills", flush=True)
            kills = Kills(name, situation, folder / name, options.seed, name == "sweep")
            yield (name, *kills.try_all(count))


def main(arguments=None):
    options = make_parser().parse_args(arguments)
    command = ["-m", "tests.faults", *(arguments or sys.argv[1:])]
    preload([sys.executable, *command])
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    from dsa.system import environment
    from tests.support.forks import import_commands
    from tests.support.hub_runs import TOKEN
    from tests.support.hub_server import serve_hub

    broken, records, began = [], {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder, serve_hub(TOKEN) as hub:
        hub.handle_error = lambda *_: None
        os.environ |= {
            "HF_ENDPOINT": hub.endpoint,
            "HF_HOME": f"{folder}/hugging_face",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_TOKEN": TOKEN,
        }
        import_commands()
        has_hub = importlib.util.find_spec("huggingface_hub") is not None
        if has_hub:
            importlib.import_module("dsa.hub.upload")
        situations = try_situations(Path(folder), hub if has_hub else None, options)
        for name, record, of_this in situations:
            records[name] = record
            broken += of_this
            print(f"{name}: {json.dumps(record)}", flush=True)
    record = {
        "command": " ".join(["python", *command]),
        "date": environment.now(),
        **environment.commit(),
        **environment.machine(),
        "seed": options.seed,
        "share": options.share,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "situations": records,
    }
    if options.out:
        options.out.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{len(records)} situations, {len(broken)} promises broken")
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
