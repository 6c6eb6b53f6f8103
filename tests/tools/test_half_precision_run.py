"""A copy of a run in half precision."""

import shutil

import h5py
import keras
import numpy as np
import pytest

import dsa
from dsa.data.words.vocabulary import FIRST_WORD
from dsa.errors import InputError
from dsa.hub.fetching import find_run
from dsa.new_data.word_vectors import EMBEDDING_PATH
from dsa.runs.run_files import write_record
from dsa.runs.run_folder import RunFolder
from tools import half_precision_run
from tools.half_precision_run import copy_in_half_precision, group_equal_rows

PAIR = ("A big dog chases a cat.", "An animal follows a cat.")


@pytest.fixture
def halved(tmp_path):
    copy_in_half_precision(find_run("mini"), tmp_path / "half")
    return tmp_path / "half"


def test_the_copy_answers_nearly_the_same_in_float32(halved):
    whole, half = dsa.load("mini"), dsa.load(halved)
    assert {keras.backend.standardize_dtype(w.dtype) for w in half.model.weights} == {
        keras.backend.standardize_dtype(w.dtype) for w in whole.model.weights
    }
    expected, answer = (
        model.predict([PAIR])[0].probabilities for model in (whole, half)
    )
    assert answer == pytest.approx(expected, abs=0.01) and answer != expected


def test_every_float32_array_is_the_rounded_one(halved):
    with (
        h5py.File(find_run("mini") / "best.weights.h5") as whole,
        h5py.File(halved / "best.weights.h5") as half,
    ):
        arrays = {}
        whole.visititems(
            lambda name, item: (
                arrays.update({name: item[()]})
                if isinstance(item, h5py.Dataset)
                else None
            )
        )
        assert len(arrays) > 20
        for name, values in arrays.items():
            assert half[name].dtype == np.float16
            np.testing.assert_array_equal(half[name][()], values.astype(np.float16))


def test_words_with_the_same_vector_become_neighbors(tmp_path):
    run, new = tmp_path / "run", tmp_path / "new"
    shutil.copytree(find_run("mini"), run)
    words = RunFolder(run).vocabulary().words
    dog, cat = words.index("dog"), words.index("cat")
    assert abs(dog - cat) > 1
    with h5py.File(run / "best.weights.h5", "r+") as weights:
        vectors = weights[EMBEDDING_PATH]
        vectors[cat + FIRST_WORD] = vectors[dog + FIRST_WORD]
    write_record(run)
    copy_in_half_precision(run, new)
    new_words = RunFolder(new).vocabulary().words
    assert abs(new_words.index("dog") - new_words.index("cat")) == 1
    assert sorted(new_words) == sorted(words)
    expected, answer = (
        dsa.load(path).predict([PAIR])[0].probabilities for path in (run, new)
    )
    assert answer == pytest.approx(expected, abs=0.01)


def test_groups_of_equal_rows_keep_the_order_of_their_first_rows():
    matrix = np.array([[2, 2], [1, 1], [2, 2], [0, 0], [1, 1]])
    assert group_equal_rows(matrix).tolist() == [0, 2, 1, 4, 3]


def test_the_copy_is_sound_and_has_no_evaluations(halved):
    run = RunFolder(halved)
    run.check_files()
    assert run.environment()["weights"] == "float16"
    assert not (halved / "metrics.json").exists()


def test_runs_that_cannot_be_copied_are_one_line_errors(halved, tmp_path, capsys):
    assert half_precision_run.main([str(halved), str(halved)]) == 2
    assert half_precision_run.main([str(tmp_path), str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    with pytest.raises(InputError, match="gain: a weight overflows float16"):
        half_precision_run.round_weights(np.array([7e4], np.float32), "gain")
