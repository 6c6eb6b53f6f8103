"""Tests of the fuzzer."""

import random

import pytest

from tests.fuzz import check_promises
from tests.support.fuzz_situations import Situation
from tests.support.mutations import MUTATIONS, mutate

SITUATION = Situation(("evaluate", "run"), writes=("run/metrics.json",))
SAID = "error: run: missing\n"


@pytest.mark.parametrize(
    ("code", "seconds", "output", "changed", "promise"),
    [
        (0, 1, "", {"run/metrics.json"}, None),
        (2, 1, SAID, set(), None),
        (2, 1, SAID, {"run/metrics.json"}, "changed run/metrics.json"),
        (0, 1, "", {"test.jsonl", "run/metrics.json"}, "changed test.jsonl"),
        (1, 1, "", set(), "exit code 1"),
        (-9, 61, "", set(), "still running after 60 seconds"),
        (2, 1, "Traceback (most recent call last)\n" + SAID, set(), "a traceback"),
        (2, 1, "", set(), "no line says why"),
        (2, 1, "error: " + "x" * 3000, set(), "a line of 3007 characters"),
    ],
)
def test_a_broken_promise_is_reported(code, seconds, output, changed, promise):
    found = check_promises(code, seconds, output, changed, SITUATION)
    assert found == promise


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.__name__)
def test_each_mutation_changes_some_content(mutation):
    content = b"seed: 3\ndata: {train: train.jsonl, dev: dev.jsonl}\nrate: 1e-3\n"
    drawn = random.Random(1)
    assert any(mutation(drawn, content) != content for _ in range(20))


def test_equal_seeds_make_equal_changes():
    content = b'{"gold_label": "neutral", "sentence1": "a man", "number": 12}\n'
    first, second = (mutate(random.Random("1-7"), content) for _ in range(2))
    assert first == second
