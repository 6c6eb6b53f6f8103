"""Property-based tests of the readers with random bytes and texts."""

import gzip
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsa.data.corpora.catalogue import CORPORA, NLI
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_files import read_vectors
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from tests.support.hostile_checks import time_limit, write_file  # noqa: F401

many = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@many
@given(data=st.data())
def test_a_run_with_changed_bytes_is_read_or_an_input_error(data, finished, tmp_path):
    """All files except for the weights, which HDF5 reads."""
    run = tmp_path / "flipped"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(finished / "run", run)
    name = data.draw(
        st.sampled_from(["config.yaml", "vocabulary.txt", "environment.json"])
    )
    content = bytearray((run / name).read_bytes())
    for position in data.draw(
        st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)
    ):
        content[position] = data.draw(st.integers(0, 255))
    (run / name).write_bytes(bytes(content))
    try:
        folder = RunFolder(run)
        assert folder.experiment() and folder.environment() and folder.vocabulary()
    except InputError as error:
        assert str(run) in str(error)


TEXTS = st.text(max_size=60)


@many
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_a_prepared_text_has_the_tokens_of_the_tokenizer(pairs):
    examples = [Example(pair, None, "", None, None, 1) for pair in pairs]
    tokenize = Tokenizer("treebank")
    corpus = from_examples(examples, tokenize, NLI, "here")
    for (premise, _), sentence in zip(
        pairs, corpus.sentence_indices[:, 0], strict=True
    ):
        ids = corpus.sentences.ids[
            slice(*corpus.sentences.offsets[sentence : sentence + 2])
        ]
        tokens = [corpus.words[i] for i in ids if i >= 0]
        assert tokens == tokenize(premise)


@many
@given(content=st.binary(max_size=300), suffix=st.sampled_from([".jsonl", ".txt"]))
def test_any_bytes_are_a_corpus_or_an_input_error(content, suffix, tmp_path):
    path = write_file(tmp_path, f"a{suffix}", content)
    packed = write_file(tmp_path, f"b{suffix}.gz", gzip.compress(content))
    snli, outcomes = CORPORA["snli"], []
    for each in (path, packed):
        try:
            outcomes.append([e._replace(line=0) for e in snli.read_examples(each)])
        except InputError as error:
            assert str(error).startswith(str(each))
            outcomes.append("error")
    assert outcomes[0] == outcomes[1]


@many
@given(text=st.text(max_size=200))
def test_any_text_instead_of_a_config_is_an_input_error(text, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(text, errors="replace", newline="")
    with pytest.raises(InputError, match=r"a\.yaml"):
        load_experiment(path)


@many
@given(content=st.binary(max_size=200))
def test_any_bytes_are_vectors_or_an_input_error(content, tmp_path):
    path = write_file(tmp_path, "v.txt", content)
    try:
        vectors = read_vectors(path, 2, ["a"], num_first=9)
    except InputError as error:
        assert str(error).startswith(str(path))
    else:
        assert all(np.isfinite(v).all() and v.shape == (2,) for v in vectors.values())
