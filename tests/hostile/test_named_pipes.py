"""Tests that a named pipe instead of a file is an error and does not block."""

import os

import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.files import find_file
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_files import read_vectors
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.arrays import read_arrays
from dsa.system.reading import fingerprint
from tests.support.hostile_checks import assert_error, time_limit  # noqa: F401

READERS = {
    "a config": load_experiment,
    "a corpus": lambda path: list(CORPORA["snli"].read_examples(path)),
    "a corpus to prepare": lambda path: prepare(path, CORPORA["snli"], Tokenizer()),
    "vectors": lambda path: read_vectors(path, 4, ["a"]),
    "arrays": lambda path: read_arrays(path, "state"),
    "a file to hash": fingerprint,
    "a file in the data root": lambda path: find_file(path.parent, path.name),
    "a text file of a run": lambda path: RunFolder(path.parent).read(path.name),
    "a run folder": lambda path: RunFolder(path.parent).check_folder(),
}


@pytest.mark.parametrize("suffix", ["", ".gz", ".zip"])
@pytest.mark.parametrize("name", READERS)
def test_a_reader_raises_an_error_for_a_pipe(name, suffix, tmp_path):
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with pytest.raises(
        InputError, match=r"pipe[.a-z]*: expected a file. Received: a named pipe"
    ) as error:
        READERS[name](path)
    assert str(error.value).count(str(path)) == 1


def test_commands_print_one_line_for_a_pipe(scripts, tmp_path, capsys):
    pipe, run = tmp_path / "pipe", tmp_path / "run"
    os.mkfifo(pipe)
    assert_error(
        scripts.train.main([str(pipe)]),
        capsys,
        "pipe: expected a file. Received: a named pipe",
    )
    run.mkdir()
    os.mkfifo(run / "config.yaml")
    for command, *texts in ((scripts.evaluate,), (scripts.predict, "A dog.", "A cat.")):
        code = command.main([str(run), *texts])
        assert_error(
            code, capsys, "config.yaml: expected a file. Received: a named pipe"
        )
