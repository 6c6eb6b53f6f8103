"""Metrics and predictions of a corpus whose first rows have no label."""

import dataclasses
import json

import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.evaluation.evaluate import format_labelled_predictions
from dsa.inference.row_reading import measure_labelled_rows
from tests.data.prepared.test_rows import corpus

LOGITS = np.array([[2.0, 0, 0], [0, 0, 3]])  # of the labelled rows


@pytest.fixture
def prepared():
    rows = corpus(("a", "b", None), ("c", "d", "neutral"), ("e", "f", "entailment"))
    return dataclasses.replace(rows, groups=["x", "y", "z"])


def test_predictions_have_the_id_and_the_label_of_their_row(prepared):
    text = format_labelled_predictions(NLI, prepared, LOGITS)
    found = [json.loads(line) for line in text.splitlines()]
    assert [(line["id"], line["gold"], line["label"]) for line in found] == [
        ("c!", "neutral", "entailment"),
        ("e!", "entailment", "contradiction"),
    ]


def test_metrics_compare_each_prediction_with_the_label_of_its_row(prepared):
    result = measure_labelled_rows(LOGITS, prepared, NLI, grouped=True)
    assert result["confusion"] == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert {*result["by_group"]} == {"y", "z"}
