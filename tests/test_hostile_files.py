"""Whatever a file holds, the answer is right or one line of error, soon."""

import gzip
import json
import shutil
import signal
import zipfile

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsa.data.corpora.snli import read_snli
from dsa.data.prepared import from_examples, prepare
from dsa.data.tokenizer import Tokenizer
from dsa.data.vectors import read_vectors
from dsa.data.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.evaluation import evaluate_corpus
from dsa.experiment_file import load_experiment
from dsa.run_folder import RunFolder
from dsa.tasks import NLI
from tests import hostile_files as hostile
from tests.corpora import rows, write_jsonl

SECONDS = 60


@pytest.fixture(autouse=True)
def _no_hang():
    def stop(*_):
        raise TimeoutError(f"still running after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def files_below(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def refused(code, capsys, words):
    """Whether a script ended as it does for a user's mistake."""
    error = capsys.readouterr().err
    assert code == 2, error
    assert words in error
    assert error.startswith("error: ") and error.count("\n") == 1
    assert len(error) < 1000


def test_there_are_enough_of_them():
    corpora = len(hostile.GOOD_CORPORA) + len(hostile.BAD_CORPORA)
    vectors = len(hostile.GOOD_VECTORS) + len(hostile.BAD_VECTORS)
    assert corpora + vectors + len(hostile.BAD_YAML) + len(RUN_DAMAGE) >= 60


@pytest.mark.parametrize("name", hostile.GOOD_CORPORA)
def test_odd_corpora_are_read_rightly(name, tmp_path):
    file, content, premise = hostile.GOOD_CORPORA[name]
    path = written(tmp_path, file, content)
    examples = list(read_snli(path, NLI.labels))
    assert examples and all(example.premise == premise for example in examples)
    corpus = prepare(path, "snli", Tokenizer(), NLI.labels)
    expected = [token.lower() for token in Tokenizer()(premise)] or [None]
    first = corpus.sentences.ids[slice(*corpus.sentences.offsets[:2])]
    assert [corpus.words[i] if i >= 0 else None for i in first] == expected
    again = prepare(path, "snli", Tokenizer(), NLI.labels)
    assert again.words == corpus.words and again.ids == corpus.ids
    words = Vocabulary(corpus.words)
    assert Vocabulary.from_text(words.to_text()).words == words.words


@pytest.mark.parametrize(
    "name", ["2,000 words", "emoji", "a NUL in a table", "an empty sentence"]
)
def test_odd_corpora_are_evaluated_and_predicted(
    name, scripts, run_copy, tmp_path, capsys
):
    file, content, _ = hostile.GOOD_CORPORA[name]
    path = written(tmp_path, file, content)
    assert scripts.evaluate.main([str(run_copy), "--file", str(path)]) == 0
    capsys.readouterr()
    assert scripts.predict.main([str(run_copy), "--file", str(path)]) == 0
    printed = [json.loads(x) for x in capsys.readouterr().out.splitlines()]
    assert all(sum(x["probabilities"].values()) == pytest.approx(1) for x in printed)


@pytest.mark.parametrize("name", hostile.BAD_CORPORA)
def test_bad_corpora_are_refused(name, tmp_path):
    file, content, words = hostile.BAD_CORPORA[name]
    path = written(tmp_path, file, content)
    with pytest.raises(InputError) as error:
        corpus = prepare(path, "snli", Tokenizer(), NLI.labels)
        evaluate_corpus(None, None, corpus, NLI.labels)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["labels alone without", "a cut character", "5,000 words", "deep nesting"]
)
def test_bad_corpora_are_one_line_of_error(name, scripts, run_copy, tmp_path, capsys):
    file, content, words = hostile.BAD_CORPORA[name]
    path = written(tmp_path, file, content)
    before = files_below(tmp_path)
    code = scripts.evaluate.main([str(run_copy), "--file", str(path)])
    refused(code, capsys, words)
    assert files_below(tmp_path) == before


def test_a_gzip_cut_at_every_hundredth_byte(tmp_path):
    random = np.random.default_rng(0)
    pairs = rows(200, extra="".join(map(chr, random.integers(97, 123, 50))))
    for number, pair in enumerate(pairs):
        pair["sentence1"] += " ".join(map(str, random.integers(0, 10**9, 9)))
        pair["pairID"] = str(number)
    whole = write_jsonl(tmp_path / "whole.jsonl.gz", pairs).read_bytes()
    cuts = range(0, len(whole), 100)
    assert len(cuts) > 50
    for cut in cuts:
        path = written(tmp_path, "cut.jsonl.gz", whole[:cut])
        with pytest.raises(InputError, match=r"cut\.jsonl\.gz"):
            list(read_snli(path, NLI.labels))


@pytest.mark.parametrize("name", hostile.BAD_VECTORS)
def test_bad_vector_files_are_one_line_of_error(
    name, scripts, finished_frozen, tmp_path, capsys
):
    file, content, words = hostile.BAD_VECTORS[name]
    path = written(tmp_path, file, content)
    code = scripts.train.main(
        [
            *(str(finished_frozen / "small.yaml"), "--data-root", str(tmp_path)),
            *("--run", str(tmp_path / "run"), "--set", f"embedding.path={file}"),
            *(f"data.{split}={split}.jsonl" for split in ("train", "dev")),
            *("embedding.frequent_words=9",),
        ]
        if _copied(finished_frozen, tmp_path)
        else []
    )
    refused(code, capsys, words)
    assert path.read_bytes() == content
    assert not (tmp_path / "run").exists()


def _copied(folder, target):
    for split in ("train", "dev"):
        shutil.copy(folder / f"{split}.jsonl", target)
    return True


@pytest.mark.parametrize("name", hostile.GOOD_VECTORS)
def test_odd_vector_files_are_read_rightly(name, tmp_path):
    file, content = hostile.GOOD_VECTORS[name]
    path = written(tmp_path, file, content)
    vectors = read_vectors(path, 4, ["a", "man", "dog"], frequent=9)
    assert vectors["a"].tolist() == [1, 0, 0, 1]
    assert vectors["man"].tolist() == [0, 1, 0, 1]
    assert vectors["dog"].tolist() == [0.5, 0.5, 1, 0]
    assert "" not in vectors


@pytest.mark.parametrize("name", hostile.BAD_YAML)
def test_bad_configs_are_one_line_of_error(name, scripts, tmp_path, capsys):
    text, words = hostile.BAD_YAML[name]
    marker = tmp_path / "marker"
    text = text.replace("MARKER", str(marker))
    path = written(tmp_path, "a.yaml", text.encode())
    run = tmp_path / "run"
    code = scripts.train.main([str(path), "--run", str(run)])
    error = capsys.readouterr().err
    assert code == 2 and words in error, error
    assert all(each.count("a.yaml") == 1 for each in error.splitlines())
    assert len(error) < 1000 and "Traceback" not in error
    assert not marker.exists() and not run.exists()


def test_a_config_that_is_no_utf8(scripts, tmp_path, capsys):
    path = written(tmp_path, "a.yaml", b"seed: \xff\n")
    refused(scripts.train.main([str(path)]), capsys, "a.yaml: not readable")


def _weights(change):
    def damage(run):
        with h5py.File(run / "best.weights.h5", "r+") as file:
            names = []
            file.visititems(
                lambda name, item: (
                    names.append(name)
                    if isinstance(item, h5py.Dataset) and item.ndim == 2
                    else None
                )
            )
            change(file, names[0])

    return damage


def _replaced(value):
    def change(file, name):
        del file[name]
        file[name] = value

    return _weights(change)


def _external(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("elsewhere.h5", "/secret")


def _json(name, content):
    return lambda run: (run / name).write_text(content)


def _environment(**changes):
    def damage(run):
        path = run / "environment.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return damage


def _link(name):
    def damage(run):
        path, target = run / name, run.parent / "outside"
        target.write_bytes(path.read_bytes() if path.exists() else b"")
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return damage


def _linked_state(run):
    target = run.parent / "outside_state"
    shutil.move(run / "state", target)
    (run / "state").symlink_to(target)


# name -> (what is done to a run, words of the error)
RUN_DAMAGE = {
    "a dataset of another shape": (_replaced(np.ones((3, 5))), "not the weights"),
    "a dataset of texts": (_replaced([[b"x"]]), "not the weights"),
    "a dataset that is missing": (
        _weights(lambda file, name: file.pop(name)),
        "not the weights",
    ),
    "a group for a dataset": (
        _weights(lambda file, name: (file.pop(name), file.create_group(name))),
        "not the weights",
    ),
    "a dataset of another file": (_weights(_external), "not the weights"),
    "a weight that is NaN": (
        _weights(lambda file, name: file[name].write_direct(_like(file[name], np.nan))),
        "a weight is no finite number",
    ),
    "weights that are a zip": (
        lambda run: (run / "best.weights.h5").write_bytes(hostile._zip(a=b"x")),
        "not the weights",
    ),
    "a config with a Python object": (
        _json("config.yaml", "!!python/object/apply:os.system ['touch marker']"),
        "could not determine a constructor",
    ),
    "an environment that is a list": (_json("environment.json", "[]"), "run format"),
    "an environment nested deeply": (
        _json("environment.json", "[" * 10**5),
        "not JSON",
    ),
    "fingerprints that are a text": (_environment(sha256="x"), "fingerprints"),
    "fingerprints that are lists": (_environment(sha256={"a": []}), "fingerprints"),
    "metrics that are a list": (
        _json("metrics.json", "[]"),
        "no list of 'evaluations'",
    ),
    "metrics that are cut": (_json("metrics.json", '{"eval'), "not JSON"),
    "a vocabulary that is no UTF-8": (
        lambda run: (run / "vocabulary.txt").write_bytes(b"\xff\n"),
        "vocabulary.txt: not readable",
    ),
    "a link for the metrics": (_link("metrics.json"), "a link"),
    "a link for the log": (_link("log.txt"), "a link"),
    "a link for a temporary file": (_link("tmp.metrics.json"), "a link"),
    "a link for the weights": (_link("best.weights.h5"), "a link"),
    "a link for the folder of the state": (_linked_state, "a link"),
}


def _like(dataset, value):
    return np.full(dataset.shape, value, dataset.dtype)


@pytest.mark.parametrize("name", RUN_DAMAGE)
def test_damaged_runs_are_one_line_of_error(
    name, finished, scripts, run_copy, tmp_path, capsys
):
    damage, words = RUN_DAMAGE[name]
    with h5py.File(tmp_path / "elsewhere.h5", "w") as file:
        file["secret"] = np.ones((2, 2))
    damage(run_copy)
    outside = {
        path: path.read_bytes() for path in tmp_path.glob("outside*") if path.is_file()
    }
    arguments = [str(run_copy), "--data-root", str(finished)]
    refused(scripts.evaluate.main(arguments), capsys, words)
    assert {path: path.read_bytes() for path in outside} == outside
    assert not list(tmp_path.rglob("marker"))


def _object_state(run):
    hostile.object_array(run / "state" / "state.npz", run.parent / "marker")


def _giant_state(run):
    """An array that says it has 10^15 numbers."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(run / "state" / "state.npz", "w") as archive:
        archive.writestr("record.npy", array)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_object_state, "damaged training state"),
        (_giant_state, "damaged training state"),
        (lambda run: (run / "state" / "state.npz").write_bytes(b""), "damaged"),
        (_linked_state, "a link"),
    ],
)
def test_a_damaged_state_is_not_resumed(
    damage, words, finished, scripts, run_copy, capsys
):
    damage(run_copy)
    code = scripts.train.main(
        [
            *(str(finished / "small.yaml"), "--data-root", str(finished)),
            *("--run", str(run_copy), "--resume"),
        ]
    )
    refused(code, capsys, words)
    assert not (run_copy.parent / "marker").exists()


def test_an_object_array_in_the_cache_is_not_loaded(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("DSA_CACHE", str(cache))
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    prepare(path, "snli", Tokenizer(), NLI.labels)
    (entry,) = cache.iterdir()
    hostile.object_array(entry, tmp_path / "marker")
    assert len(prepare(path, "snli", Tokenizer(), NLI.labels)) == 5
    assert not (tmp_path / "marker").exists()


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_run_with_flipped_bytes_is_read_or_refused(data, finished, tmp_path):
    """Everything but the weights, whose format HDF5 reads."""
    run = tmp_path / "flipped"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(finished / "run", run)
    name = data.draw(
        st.sampled_from(["config.yaml", "vocabulary.txt", "environment.json"])
    )
    content = bytearray((run / name).read_bytes())
    for place in data.draw(
        st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)
    ):
        content[place] = data.draw(st.integers(0, 255))
    (run / name).write_bytes(bytes(content))
    try:
        folder = RunFolder(run)
        assert folder.experiment() and folder.environment() and folder.vocabulary()
    except InputError as error:
        assert str(run) in str(error)


TEXTS = st.text(max_size=60)


@settings(max_examples=200, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_any_text_becomes_sentences_that_say_the_same(pairs):
    from dsa.data.example import Example

    examples = [Example(p, h, None, "", None, None, 1) for p, h in pairs]
    tokenize = Tokenizer("treebank")
    try:
        corpus = from_examples(examples, tokenize, NLI.labels, "here")
    except InputError:
        return
    for (premise, _), sentence in zip(pairs, corpus.premise, strict=True):
        ids = corpus.sentences.ids[
            slice(*corpus.sentences.offsets[sentence : sentence + 2])
        ]
        found = [corpus.words[i] for i in ids if i >= 0]
        assert found == tokenize(premise)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(content=st.binary(max_size=300), suffix=st.sampled_from([".jsonl", ".txt"]))
def test_any_bytes_are_a_corpus_or_refused(content, suffix, tmp_path):
    path = written(tmp_path, f"a{suffix}", content)
    packed = written(tmp_path, f"b{suffix}.gz", gzip.compress(content))
    outcomes = []
    for each in (path, packed):
        try:
            outcomes.append([e._replace(line=0) for e in read_snli(each, NLI.labels)])
        except InputError as error:
            assert str(error).startswith(str(each))
            outcomes.append("refused")
    assert outcomes[0] == outcomes[1]


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=200))
def test_any_text_is_a_config_or_refused(text, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(text, errors="replace", newline="")
    with pytest.raises(InputError, match=r"a\.yaml"):
        load_experiment(path)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(content=st.binary(max_size=200))
def test_any_bytes_are_vectors_or_refused(content, tmp_path):
    path = written(tmp_path, "v.txt", content)
    try:
        vectors = read_vectors(path, 2, ["a"], frequent=9)
    except InputError as error:
        assert str(error).startswith(str(path))
    else:
        assert all(np.isfinite(v).all() and v.shape == (2,) for v in vectors.values())
