"""Wall time of the command `dsa predict snli PREMISE HYPOTHESIS`.

    python benchmarks/first_answer.py [--rounds 5] [--out FILE]

Each measurement is a new process; the sides alternate:

    keras     `--runtime keras`, which imports TensorFlow
    onnx      `--runtime onnx`, after `dsa export snli --in-run`
    packages  only the import of NumPy, onnxruntime, pydantic and PyYAML
"""

import os
import subprocess
import sys
import tempfile
import time

import machine_load
import measuring

PAIR = ["A man sleeps on a bench.", "Somebody is awake."]
PREDICT = [sys.executable, "-m", "dsa", "predict", "snli", *PAIR, "--runtime"]
SIDES = {
    "keras": [*PREDICT, "keras"],
    "onnx": [*PREDICT, "onnx"],
    "packages": [sys.executable, "-c", "import numpy, onnxruntime, pydantic, yaml"],
}


def measure(command, settings):
    """Returns the seconds of a command."""
    began = time.perf_counter()
    subprocess.run(command, env=settings, check=True, capture_output=True)
    return time.perf_counter() - began


def main():
    parser = measuring.make_parser(__doc__)
    options = parser.parse_args()
    load = machine_load.refuse_load(options.anyway)
    figures = {side: {"wall_seconds": []} for side in SIDES}
    with tempfile.TemporaryDirectory() as cache:
        settings = {**os.environ, "DSA_CACHE": cache}
        export = [sys.executable, "-m", "dsa", "export", "snli", "--in-run"]
        subprocess.run(export, env=settings, check=True, stdout=subprocess.DEVNULL)
        for _ in range(options.rounds):
            for side, command in SIDES.items():
                figures[side]["wall_seconds"].append(measure(command, settings))
    seconds = {side: values["wall_seconds"] for side, values in figures.items()}
    measuring.report(
        __file__,
        options,
        load,
        figures,
        seconds_with_keras_to_onnx=measuring.median_ratio(
            seconds["keras"], seconds["onnx"]
        ),
    )


if __name__ == "__main__":
    main()
