"""What holds between backends, and on JAX alone."""

import json
import logging
import pathlib
import re

import keras
import pytest

import dsa
from tests.support.corpora import write_jsonl
from tests.support.runs import write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

BACKEND = keras.backend.backend()
RUNS = pathlib.Path(__file__).parents[1] / "support" / "trained_elsewhere"


@pytest.mark.slow
@pytest.mark.parametrize("trained_on", ["tensorflow", "jax", "torch"])
def test_a_run_of_any_backend_predicts_what_it_predicted_there(trained_on):
    expected = json.loads((RUNS / trained_on / "predictions.json").read_text())
    assert dsa.load(RUNS / trained_on).run.environment()["backend"] == trained_on
    pairs = [(each["premise"], each["hypothesis"]) for each in expected]
    found = dsa.load(RUNS / trained_on).predict(pairs)
    for each, prediction in zip(expected, found, strict=True):
        assert prediction.label == each["label"]
        assert prediction.probabilities == pytest.approx(
            each["probabilities"], abs=1e-4
        )
    assert len({tuple(each["probabilities"].values()) for each in expected}) > 3


@pytest.mark.skipif(BACKEND != "jax", reason="the others compile no shapes")
def test_a_training_compiles_one_program_a_shape(tmp_path, scripts, caplog):
    """Sentences of 1 to 60 words in three shapes, and a smaller last batch."""
    config = write_experiment(tmp_path, training={"shapes": 3})
    labels = ("entailment", "neutral", "contradiction")
    pairs = [
        {
            "sentence1": "a " * (1 + 7 * n % 60),
            "sentence2": "dog " * (1 + 11 * n % 23),
            "gold_label": labels[n % 3],
        }
        for n in range(62)
    ]
    write_jsonl(tmp_path / "train.jsonl", pairs)
    import jax

    jax.config.update("jax_log_compiles", True)
    try:
        with caplog.at_level(logging.WARNING, logger="jax"):
            arguments = [str(config), "--data-root", str(tmp_path)]
            run = str(tmp_path / "run")
            assert scripts.train.main([*arguments, "--run", run]) == 0
    finally:
        jax.config.update("jax_log_compiles", False)
    compiled = [
        found[1]
        for record in caplog.records
        if (found := re.match(r"Compiling jit\((\w+)\)", record.getMessage()))
    ]
    assert sum("train" in name for name in compiled) == 3
