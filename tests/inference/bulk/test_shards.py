"""The rows and the results of shards."""

import json
import tracemalloc

import numpy as np
import pytest

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.bulk.shards import Plan, Shards, write_rows
from dsa.inference.input_rows import read_examples

VECTORS = {"what": "vectors", "dtype": "float32"}
LINES = {"what": "predictions", "dtype": None}


def make_examples(groups):
    for line, group in enumerate(groups, start=1):
        texts = (f"a\u2028{line}", "b\n")
        yield Example(texts, None, None, group, ("(a)", "(b)"), line)


def test_rows_are_cut_into_shards_that_can_be_read_alone(tmp_path):
    examples = list(make_examples([None] * 7))
    counts = write_rows(tmp_path, examples, 3)
    assert counts == [3, 3, 1]
    shards = Shards(tmp_path, Plan(VECTORS, "rows", counts))
    read = [shards.read_rows(number) for number in range(3)]
    assert read == [examples[:3], examples[3:6], examples[6:]]


def test_answers_to_a_question_stay_together(tmp_path):
    assert write_rows(tmp_path, make_examples("aaabbccccd"), 2) == [3, 2, 4, 1]


def test_rows_that_were_cut_are_refused(tmp_path):
    counts = write_rows(tmp_path, make_examples([None] * 3), 5)
    shards, path = (
        Shards(tmp_path, Plan(VECTORS, "rows", counts)),
        next(tmp_path.iterdir()),
    )
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=f"{path}: damaged"):
        shards.read_rows(0)
    path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:2]))
    with pytest.raises(InputError, match=f"{path}: damaged: it is cut"):
        shards.read_rows(0)
    path.unlink()
    with pytest.raises(InputError, match=f"{path}: damaged"):
        shards.read_rows(0)


ROW = [["a", "b"], None, None, None, None, 1]


@pytest.mark.parametrize(
    "row",
    [
        [*ROW, 2],
        ROW[:5],
        {"texts": ["a", "b"]},
        ["ab", *ROW[1:]],  # a text, and no list of texts
        [[1, "b"], *ROW[1:]],
        [ROW[0], ["a"], *ROW[2:]],
        [*ROW[:2], 7, *ROW[3:]],
        [*ROW[:4], ["(a)"], 1],  # a parse of two texts
        [*ROW[:5], "1"],
        [*ROW[:5], 0],
        None,
        7,
    ],
)
def test_a_record_of_another_form_is_refused(row, tmp_path):
    write_rows(tmp_path, make_examples([None]), 5)
    shards, path = (
        Shards(tmp_path, Plan(LINES, "rows", [1])),
        tmp_path / "0000000.jsonl",
    )
    path.write_text(json.dumps(ROW) + "\n")
    assert shards.read_rows(0)[0].texts == ("a", "b")
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=f"{path}: damaged"):
        shards.read_rows(0)


def test_a_record_that_is_nested_without_end_is_refused(tmp_path):
    (tmp_path / "0000000.jsonl").write_text("[" * 100_000 + "\n")
    with pytest.raises(InputError, match="0000000.jsonl: damaged"):
        Shards(tmp_path, Plan(LINES, "rows", [1])).read_rows(0)


def test_memory_does_not_grow_with_the_rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("a man sleeps outside\n" * 20_000)
    tracemalloc.start()
    write_rows(tmp_path, read_examples(path, "sentences"), 200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300_000  # bytes; the file has 420,000


def test_a_plan_is_read_as_it_was_written(tmp_path):
    plan = Plan(VECTORS, "rows.txt", [3, 2], True)
    plan.write(tmp_path)
    assert Plan.read(tmp_path) == plan and plan.rows == 5
    assert Plan.read(tmp_path / "elsewhere") is None
    path = tmp_path / "plan.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "shards": 3}))
    with pytest.raises(InputError, match="plan.json: damaged: 'shards' is missing"):
        Plan.read(tmp_path)
    for wrong in (
        {"shards": []},
        {"shards": [3, "2"]},
        {"shards": [3, -2]},
        {"shards": [True]},
        {"settings": {}},
        {"settings": {"what": ["vectors"], "dtype": "float32"}},
        {"settings": {"what": "vectors", "dtype": "O"}},
        {"settings": {"what": "vectors", "dtype": None}},
        {"settings": {"what": "predictions", "dtype": "float32"}},
        {"parses": 1},
    ):
        path.write_text(json.dumps(content | wrong))
        with pytest.raises(InputError, match="plan.json: damaged: "):
            Plan.read(tmp_path)
    path.write_text(json.dumps({**content, "format": 1}))
    with pytest.raises(InputError, match="of another version. --force begins again"):
        Plan.read(tmp_path)


def test_results_are_joined_in_the_order_of_the_shards(tmp_path):
    vectors = np.random.default_rng(3).normal(size=(5, 7)).astype(np.float32)
    shards = Shards(tmp_path, Plan(VECTORS, "rows", [3, 2]))
    assert shards.list_unfinished() == [0, 1]
    shards.write_result(1, vectors[3:])
    assert shards.list_unfinished() == [0]
    shards.write_result(0, vectors[:3])
    facts = shards.join_results(tmp_path / "all.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "all.npy"), vectors)
    assert facts["units"] == 7
    assert [shard["rows"] for shard in facts["shards"]] == [3, 2]


@pytest.mark.parametrize("place", [0, 20, -2])
def test_a_damaged_result_is_removed_so_that_it_is_computed_again(place, tmp_path):
    shards = Shards(tmp_path, Plan(LINES, "rows", [3, 2]))
    for number in range(2):
        shards.write_result(number, b"line\n" * 5)
    path = sorted(tmp_path.iterdir())[1]
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path}: damaged. It was removed: the same"):
        shards.join_results(tmp_path / "all.jsonl")
    assert len(list(tmp_path.iterdir())) == 1
    assert shards.list_unfinished() == [1]
    shards.write_result(1, b"line\n" * 5)
    assert shards.join_results(tmp_path / "all.jsonl")["lines"] == 10
    assert (tmp_path / "all.jsonl").read_bytes() == b"line\n" * 10


def test_results_of_another_plan_do_not_count(tmp_path):
    shards = Shards(tmp_path, Plan(LINES, "rows", [3]))
    shards.write_result(0, b"line\n")
    other = Shards(tmp_path, Plan(LINES, "other rows", [3]))
    assert other.list_unfinished() == [0]
