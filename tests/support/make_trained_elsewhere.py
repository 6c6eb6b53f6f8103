"""Trains a small run on this backend, and stores it with its predictions.

    KERAS_BACKEND=jax python tests/support/make_trained_elsewhere.py

writes `tests/support/trained_elsewhere/<backend>/`, which
`tests/inference/test_other_backends.py` loads on every backend. Run it again after a
change of the run format.
"""

import json
import pathlib
import shutil
import sys
import tempfile

sys.path[:0] = [".", "scripts"]
FILES = (
    "config.yaml",
    "vocabulary.txt",
    "best.weights.h5",
    "sha256.json",
    "environment.json",
)


def main():
    import keras
    import train

    import dsa
    from tests.support.corpora import PAIRS
    from tests.support.runs import write_experiment

    target = pathlib.Path("tests/support/trained_elsewhere", keras.backend.backend())
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        config = write_experiment(pathlib.Path(folder))
        run = pathlib.Path(folder, "run")
        if train.main([str(config), "--data-root", folder, "--run", str(run)]):
            raise SystemExit("training failed")
        for name in FILES:
            shutil.copy(run / name, target)
    pairs = [pair[:2] for pair in PAIRS]
    predictions = [
        {"premise": premise, "hypothesis": hypothesis, **prediction._asdict()}
        for (premise, hypothesis), prediction in zip(
            pairs, dsa.load(target).predict(pairs), strict=True
        )
    ]
    (target / "predictions.json").write_text(json.dumps(predictions, indent=1) + "\n")


if __name__ == "__main__":
    main()
