"""Splits with the same content, splits that share rows, and files that are missing."""

import gzip
import shutil
import types

import pytest

from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation.splits import find_split, measure_train_share
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.corpora import rows, write_jsonl
from tests.support.runs import write_experiment, write_frozen_experiment


def build(config, folder, **overrides):
    experiment = load_experiment(config, overrides)
    files = find_training_files(experiment, folder)
    return build_training_data(experiment, files)


def write_pairs(path, count, first=0):
    """Pairs that no other number has."""
    pairs = rows(first + count)[first:]
    for number, pair in enumerate(pairs, start=first):
        pair["sentence1"] += f" It is number {number}."
    return write_jsonl(path, pairs)


@pytest.fixture
def config(tmp_path):
    config = write_experiment(tmp_path)
    for split, count, first in (("train", 40, 0), ("dev", 20, 40), ("test", 9, 90)):
        write_pairs(tmp_path / f"{split}.jsonl", count, first)
    return config


@pytest.mark.parametrize(
    ("split", "other"), [("dev", "train"), ("test", "train"), ("test", "dev")]
)
def test_the_same_content_under_two_names_is_refused(config, tmp_path, split, other):
    content = (tmp_path / f"{other}.jsonl").read_bytes()
    (tmp_path / f"{split}.jsonl").write_bytes(content)
    message = rf"'data.{split}' \({split}.jsonl\) has the same rows as 'data.{other}'"
    with pytest.raises(InputError, match=message):
        build(config, tmp_path)


def test_the_same_rows_gzipped_in_another_order_are_refused(config, tmp_path):
    lines = (tmp_path / "train.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "dev.jsonl").unlink()
    (tmp_path / "dev.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[::-1])))
    with pytest.raises(InputError, match="'data.dev' .* has the same rows as"):
        build(config, tmp_path)


def test_mixed_pairs_are_learned_too(config, tmp_path):
    (tmp_path / "mix.jsonl").write_bytes((tmp_path / "dev.jsonl").read_bytes())
    with pytest.raises(InputError, match=r"'data.dev' .* 'data.mix' \(mix.jsonl\)"):
        build(config, tmp_path, **{"data.mix": {"path": "mix.jsonl"}})


def test_mixed_pairs_that_are_those_of_test_are_an_error(config, tmp_path):
    (tmp_path / "mix.jsonl").write_bytes((tmp_path / "test.jsonl").read_bytes())
    with pytest.raises(InputError, match=r"'data.test' .* 'data.mix' \(mix.jsonl\)"):
        build(config, tmp_path, **{"data.mix": {"path": "mix.jsonl"}})


def test_the_share_counts_mixed_pairs(config, tmp_path):
    write_pairs(tmp_path / "mix.jsonl", 10, 35)  # the last five are dev's
    mix = {"data.mix": {"path": "mix.jsonl", "share": 1.0}}
    assert build(config, tmp_path, **mix).shared_with_train == {"dev": 5 / 20}


def test_training_rows_are_drawn_with_the_seed_of_the_run(config, tmp_path):
    def draw(count, seed=13):
        data = build(config, tmp_path, **{"data.train_rows": count, "seed": seed})
        assert len(data.labels) == data.describe()["pairs"]["train"] == count
        assert data.describe()["pairs"]["dev"] == 20
        return set(data.train_corpus.ids)

    whole = set(build(config, tmp_path).train_corpus.ids)
    assert draw(9) < draw(15) < draw(40) == whole
    assert draw(9) == draw(9) != draw(9, seed=14)


def test_more_training_rows_than_the_file_has_are_an_error(config, tmp_path):
    message = "'data.train_rows' must be at most 40, .* Received: 41"
    with pytest.raises(InputError, match=message):
        build(config, tmp_path, **{"data.train_rows": 41})


def test_a_sample_with_a_single_label_is_an_error(config, tmp_path):
    with pytest.raises(InputError, match="sample of train: every row has the label"):
        build(config, tmp_path, **{"data.train_rows": 1})


def test_a_sample_leaves_the_rows_of_a_mix_and_of_dev_complete(config, tmp_path):
    write_pairs(tmp_path / "mix.jsonl", 10, 60)
    mix = {"data.mix": {"path": "mix.jsonl", "share": 1.0}, "data.train_rows": 5}
    assert len(build(config, tmp_path, **mix).labels) == 15
    split = {"data.dev": None, "data.dev_share": 0.25, "data.train_rows": 12}
    data = build(config, tmp_path, **split)
    assert data.describe()["pairs"] == {"train": 12, "dev": 10}
    assert not set(data.train_corpus.ids) & set(data.corpora["dev"].ids)


def test_one_path_for_two_splits_is_refused(config, tmp_path):
    with pytest.raises(
        InputError, match="'data.dev' and 'data.train' must be different"
    ):
        build(config, tmp_path, **{"data.dev": "train.jsonl"})
    with pytest.raises(InputError, match="has the same rows as"):
        build(config, tmp_path, **{"data.dev": "./train.jsonl"})


def test_dev_can_be_test_on_purpose(config, tmp_path):
    data = build(config, tmp_path, **{"data.dev": None, "data.select_on_test": True})
    assert data.shared_with_train == {"dev": 0}


@pytest.mark.parametrize(("shared", "warns"), [(1, False), (2, True)])
def test_more_than_five_per_cent_of_dev_in_train_is_a_warning(
    config, tmp_path, caplog, shared, warns
):
    write_pairs(tmp_path / "dev.jsonl", 20, 40 - shared)
    assert build(config, tmp_path).describe()["shared_with_train"] == {
        "dev": shared / 20
    }
    assert (
        "dev (dev.jsonl): 10.0 % of the rows are also in train" in caplog.text
    ) == warns


def test_a_label_without_rows_is_told(tmp_path, caplog):
    """It may be misspelled, and lowers macro F1."""
    (tmp_path / "train.csv").write_text("p,h,l\na,b,yes\nc,d,no\n")
    (tmp_path / "dev.csv").write_text("p,h,l\ne,b,yes\nc,d,maybe\n")
    data = {
        "corpus": "own",
        "columns": {"premise": "p", "hypothesis": "h", "label": "l"},
        "labels": ["yes", "no", "maybe", "never"],
        "train": "train.csv",
        "dev": "dev.csv",
    }
    experiment = load_experiment(write_experiment(tmp_path), {"data": data})
    build_training_data(experiment, find_training_files(experiment, tmp_path))
    assert "train: no row has the label maybe or never" in caplog.text
    assert "dev: no row has the label no or never" in caplog.text


def test_a_training_split_with_a_single_label_is_refused(tmp_path):
    lines = ["p,h,l,part", "a,b,yes,train", "c,d,yes,train", "e,f,no,dev"]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    data = {
        "corpus": "own",
        "columns": {"premise": "p", "hypothesis": "h", "label": "l"},
        "labels": ["yes", "no"],
        "train": "all.csv",
        "split_column": "part",
    }
    experiment = load_experiment(write_experiment(tmp_path), {"data": data})
    files = find_training_files(experiment, tmp_path)
    message = "all.csv, split 'train': every row has the label yes. Rows with different"
    with pytest.raises(InputError, match=message):
        build_training_data(experiment, files)


def test_a_training_needs_no_test_file(config, tmp_path):
    (tmp_path / "test.jsonl").unlink()
    assert build(config, tmp_path).shared_with_train == {"dev": 0}


def as_trained(config, folder, **overrides):
    """The attributes of a `TrainedModel` that the share of training rows needs."""
    run = RunFolder(folder / "run")
    run.path.mkdir(exist_ok=True)
    data = build(config, folder, **overrides)
    data.write(run)
    experiment = load_experiment(config, overrides)
    run.write("config.yaml", experiment.to_yaml())
    return types.SimpleNamespace(run=run, experiment=experiment, tokenizer=Tokenizer())


def measure(trained, root, split):
    return measure_train_share(trained.run, find_split(trained, root, split))


def test_dev_rows_count_as_training_rows_if_they_were_trained_on(config, tmp_path):
    trained = as_trained(config, tmp_path, **{"data.train_on_dev": True})
    write_pairs(tmp_path / "test.jsonl", 8, 56)  # the first four are dev's
    assert measure(trained, tmp_path, "dev") == 1
    assert measure(trained, tmp_path, "test") == 0.5


def test_the_share_of_training_rows_needs_no_training_file(config, tmp_path, caplog):
    trained = as_trained(config, tmp_path)
    content = (tmp_path / "train.jsonl").read_bytes()
    write_pairs(tmp_path / "test.jsonl", 8, 34)
    assert measure(trained, tmp_path, "train") is None
    (tmp_path / "train.jsonl").unlink()
    assert measure(trained, tmp_path, "dev") == 0
    assert "are also in train" not in caplog.text
    assert measure(trained, tmp_path, "test") == 0.75
    assert "test (test.jsonl): 75.0 % of the rows are also in train" in caplog.text
    (tmp_path / "test.jsonl").write_bytes(content + b"\n")
    with pytest.raises(
        InputError, match=r"test.jsonl: test has the same rows as train"
    ):
        measure(trained, tmp_path, "test")


def test_a_run_without_the_keys_of_its_training_rows_has_no_share(
    config, tmp_path, caplog
):
    trained = as_trained(config, tmp_path)
    keys = trained.run.path / "training_rows.npz"
    keys.write_bytes(keys.read_bytes()[:-5])
    with pytest.raises(InputError, match="training_rows.npz: damaged"):
        measure(trained, tmp_path, "dev")
    keys.unlink()
    with caplog.at_level("INFO"):
        assert measure(trained, tmp_path, "dev") is None
    assert "rows shared with train are not counted" in caplog.text


@pytest.mark.parametrize("name", ["train.jsonl", "dev.jsonl", "vectors.txt"])
def test_a_missing_file_is_named(name, tmp_path):
    experiment = load_experiment(write_frozen_experiment(tmp_path))
    find_training_files(experiment, tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match=f"file not found: .*{name}"):
        find_training_files(experiment, tmp_path)


def test_so_is_the_corpus_that_is_mixed_in(tmp_path):
    mix = {"path": "elsewhere.jsonl", "share": 0.5}
    experiment = load_experiment(write_experiment(tmp_path, data={"mix": mix}))
    with pytest.raises(InputError, match="file not found: .*elsewhere.jsonl"):
        find_training_files(experiment, tmp_path)


def test_a_resumed_training_needs_no_vectors(tmp_path):
    experiment = load_experiment(write_frozen_experiment(tmp_path))
    (tmp_path / "vectors.txt").unlink()
    assert find_training_files(experiment, tmp_path, is_new=False).vector_reader is None


def test_the_commit_of_a_data_set_is_recorded(config, tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    commit = "0123456789" * 4
    cached = tmp_path / "cache" / "datasets" / f"a--b--train--{commit}.jsonl"
    cached.parent.mkdir(parents=True)
    shutil.copy(tmp_path / "train.jsonl", cached)
    data = build(config, tmp_path, **{"data.train": f"hf://a/b@{commit}/train"})
    assert data.describe()["data_revisions"] == {"train": commit}
    assert "data_revisions" not in build(config, tmp_path).describe()


def test_vectors_of_another_size_are_told_by_their_first_line(tmp_path):
    experiment = load_experiment(write_frozen_experiment(tmp_path))
    units = experiment.embedding.units
    (tmp_path / "vectors.txt").write_text("a" + " 0.5" * (units + 1) + "\n")
    with pytest.raises(InputError, match=f"vectors of size {units + 1}, but"):
        find_training_files(experiment, tmp_path)
