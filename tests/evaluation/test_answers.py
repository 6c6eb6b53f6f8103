import hashlib
import itertools
import os
import shutil
import zipfile

import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.evaluation.answers import (
    Answers,
    make_answers_file_name,
    pack_answers,
    read_answers,
    round_probabilities,
    write_answers,
)
from dsa.runs.run_folder import RunFolder
from dsa.tasks.ranking import Ranking
from dsa.tasks.relatedness import Relatedness
from tests.data.prepared.test_rows import corpus
from tests.support.kept_answers import LABELS, LENGTHS, write_run

ROWS = corpus(
    ("a dog runs fast", "a dog", "entailment"),
    ("a dog", "a cat", None),
    ("a", "a b c d e f", "neutral"),
)
ENTRY = {"split": "dev", "file": "dev.jsonl"}


def test_probabilities_keep_the_answer_where_rounding_makes_them_equal():
    """The two logits differ by 1e-5: both probabilities round to 1/2."""
    packed = round_probabilities(np.array([[1e-5, 0.0], [0.0, 1e-5], [0.0, 2.0]]))
    assert packed.dtype == np.float16
    assert packed.argmax(axis=1).tolist() == [0, 1, 1]
    expected = np.exp(2) / (1 + np.exp(2))
    assert packed[2, 1] == pytest.approx(expected, abs=1e-3)


def test_answers_have_the_labelled_rows_and_the_length_of_the_longest_sentence():
    logits = np.array([[2.0, 0, 0], [0, 0, 3.0]], np.float32)
    answers = pack_answers(NLI, ROWS, logits, ENTRY)
    np.testing.assert_array_equal(answers.lengths, [4, 6])
    np.testing.assert_array_equal(answers.labels, ROWS.labels[[0, 2]])
    assert answers.outputs.dtype == np.float16
    other = corpus(("a dog runs fast", "a dog", "entailment"), ("b", "b", "neutral"))
    assert pack_answers(NLI, other, logits, ENTRY).rows_sha256 != answers.rows_sha256


def test_scores_are_kept_as_logits():
    """A squared error needs more digits than float16 has."""
    logits = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]] * 3, np.float32)
    labels = np.array([3, 2.5, 1], np.float32)
    rows = corpus(*[("a", str(n), "neutral") for n in range(3)])
    rows = type(rows)(**{**vars(rows), "labels": labels})
    answers = pack_answers(Relatedness("sick", 1, 5), rows, logits, ENTRY)
    assert answers.outputs.dtype == np.float32
    np.testing.assert_array_equal(answers.outputs, logits)


def test_a_ranking_keeps_the_order_that_float16_would_lose():
    logits = np.array([[0.0, 1e-5], [0.0, 2e-5], [0.0, 0.0]], np.float32)
    rows = corpus(*[("q", str(n), "neutral") for n in range(3)])
    facts = {"labels": np.array([0, 1, 0], np.int8), "groups": ["q", "q", "q"]}
    answers = pack_answers(
        Ranking("wikiqa"), type(rows)(**{**vars(rows), **facts}), logits, ENTRY
    )
    assert answers.outputs.dtype == np.float32
    values = Ranking("wikiqa").unit_values(
        answers.outputs, answers.labels, answers.groups
    )
    assert values["map"].tolist() == [1]


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "model", 3, "1101011")


def test_written_answers_are_read_back(run):
    answers = read_answers(run, "dev")
    grouped = Answers(
        **{**vars(answers), "split": "dev (plain)", "groups": ["x", None, *"yxyxy"]}
    )
    write_answers(run, grouped)
    again = read_answers(run, "dev (plain)")
    assert again.groups == ["x", None, *"yxyxy"]
    for name in ("outputs", "labels", "lengths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(answers, name))
    assert (run.path / "answers_dev_plain.npz").is_file()


def test_a_file_of_the_same_answers_has_the_same_bytes(run):
    path = run.path / "answers_dev.npz"
    before = path.read_bytes()
    digest = write_answers(run, read_answers(run, "dev"))
    assert path.read_bytes() == before
    assert digest == hashlib.sha256(before).hexdigest()


def test_ten_thousand_answers_are_some_kilobytes(run):
    random = np.random.default_rng(0)
    logits = random.normal(size=(10_000, 3)).astype(np.float32)
    answers = read_answers(run, "dev")
    labels = random.integers(3, size=10_000).astype(np.int8)
    many = {
        "outputs": round_probabilities(logits),
        "labels": labels,
        "lengths": random.integers(4, 40, size=10_000).astype(np.uint16),
        "groups": [None] * 10_000,
    }
    write_answers(run, Answers(**{**vars(answers), **many}))
    assert os.path.getsize(run.path / "answers_dev.npz") < 72_000


def test_answers_of_another_split_or_of_other_weights_are_refused(run):
    shutil.copy(run.path / "answers_dev.npz", run.path / "answers_test.npz")
    with pytest.raises(InputError, match="expected split 'test'. Received: 'dev'"):
        read_answers(run, "test")
    run.weights.write_bytes(b"new")
    with run.replace_file("best.weights.h5") as path:
        path.write_bytes(b"newer")
    with pytest.raises(InputError, match="outdated, because the weights of the run"):
        read_answers(run, "dev")


BROKEN = {
    "outputs": [np.zeros((6, 3), np.float16), LABELS.astype(object), LABELS],
    "labels": [LABELS.astype(np.int64), LABELS[:0], np.float32(0)],
    "lengths": [LENGTHS[:-1], LENGTHS.astype(np.float32)],
    "groups": [np.full(7, 2, np.int32), np.full(7, -2, np.int32), LENGTHS],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BROKEN.items() for value in values],
)
def test_arrays_that_do_not_fit_are_one_line(run, name, value, monkeypatch):
    from dsa.evaluation import answers as module

    written = module.write_arrays

    def write(path, arrays, record, compress):
        written(path, {**arrays, name: value}, record, compress)

    monkeypatch.setattr(module, "write_arrays", write)
    write_answers(run, read_answers(run, "dev"))
    with pytest.raises(InputError, match="answers_dev.npz: damaged answers") as error:
        read_answers(run, "dev")
    assert "\n" not in str(error.value)


def test_damaged_files_are_one_line(run):
    path = run.path / "answers_dev.npz"
    content = path.read_bytes()
    for size in (0, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(InputError, match="damaged answers"):
            read_answers(run, "dev")
    for place in itertools.islice(range(len(content)), 40, None, 97):
        changed = bytearray(content)
        changed[place] ^= 255
        path.write_bytes(changed)
        try:
            read_answers(run, "dev")  # a byte that nobody reads, such as of a date
        except InputError as error:
            assert "damaged answers" in str(error) and "\n" not in str(error)


def test_a_file_that_would_fill_the_memory_is_not_read(run):
    path = run.path / "answers_dev.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("outputs.npy", bytes(2**26 + 1))
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="67,108,865 bytes of arrays. The maximum"):
        read_answers(run, "dev")


def test_without_answers_there_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_answers(RunFolder(tmp_path), "dev")


def test_splits_with_other_letters_have_their_own_files():
    names = ["новости", "отзывы", "dev-ä", "dev-ö", "dev (shuffled_words)"]
    files = [make_answers_file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert files[-1] == "answers_dev_shuffled_words.npz"
